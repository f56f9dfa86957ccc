"""The bench: what every court has, the suspicious copy of the rules and the way to tell whose fault it is."""

from typing import Any

from ludwin.errors import LudwinError, RuleError
from ludwin.game import Game


class Bench:
    """Asks the guarded functions of one game."""

    def __init__(self, game: Game, seed: int):
        self.game, self.seed = game, seed
        self.f = game.guarded_functions

    def fail(self, function: str, reason: str) -> RuleError:
        """Return the fault of a function, with its place in the author's file."""
        return RuleError(reason, *self.game.place(function))

    def call(self, name: str, s: Any, *args: Any) -> Any:
        """Call a function of the rules; what it does wrong is the author's fault."""
        try:
            return self.f[name](s, *args)
        except RuleError as error:
            raise error if error.path else self.game.fault(error) from None
        except LudwinError:
            raise
        except (Exception, SystemExit) as error:
            raise self.game.fault(error) from None
