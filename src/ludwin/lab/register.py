"""Which experiments there are: published tables to reproduce, and studies.

Why it is here.  The tables of a domain lie in its folder (`tables.py`: TABLES and STUDIES, tuples of experiments), so
nothing is registered: the folders are listed.  What is no game's own is listed here.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from ludwin.errors import UnknownExperiment
from ludwin.games import domains, open_part
from ludwin.lab.experiment import LabTable
from ludwin.lab.own_study import is_study, read_study
from ludwin.library import is_path, load, split
from ludwin.paths import typed
from ludwin.registers import pick

NO_DOMAIN = {
    "TABLES": (),
    "STUDIES": (
        "ludwin.lab.mcts_options:MCTS_OPTIONS",
        "ludwin.lab.regression:REGRESSION",
    ),
}


CHOICE = "table"  # `./mygame/:table=NAME`, where a user's folder has several


class Listing(Mapping[str, LabTable]):
    """All tables, or all studies, by name; a domain's are imported when they are looked for.

    A table is called after its game, as a rule, so that folder is opened first.
    """

    def __init__(self, kind: str):
        self.kind = kind
        self.found: dict[str, dict[str, LabTable]] = {}

    def of(self, domain: str) -> dict[str, LabTable]:
        """Return the experiments of one domain."""
        if domain not in self.found:
            made = getattr(open_part(domain, "tables"), self.kind, ()) if domain else self._no_domain()
            self.found[domain] = {experiment.name: experiment for experiment in made}
        return self.found[domain]

    def _no_domain(self) -> Iterator[LabTable]:
        for place in NO_DOMAIN[self.kind]:
            module, _, attribute = place.partition(":")
            experiment: LabTable = getattr(import_module(module), attribute)
            yield experiment

    def __getitem__(self, name: str) -> LabTable:
        for domain in sorted((*domains("tables"), ""), key=lambda domain: not (domain and name.startswith(domain))):
            if name in self.of(domain):
                return self.of(domain)[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for domain in (*domains("tables"), ""):
            yield from self.of(domain)

    def __len__(self) -> int:
        return sum(1 for _ in self)


TABLES = Listing("TABLES")
STUDY = Listing("STUDIES")


def find(name: str, *known: Mapping[str, LabTable]) -> LabTable:
    """Return the experiment of this name in one of these lists, or of a user's folder: `./mygame/:table=NAME`.

    Raises UnknownExperiment.
    """
    if is_study(name):
        return read_study(typed(name))
    if is_path(split(name)[0]):
        return _of_folder(name, [one.kind for one in known if isinstance(one, Listing)])
    for those in known:
        if name in those:
            return those[name]
    names = {one: those for those in known for one in those}
    wanted = pick(name, names, "experiment", UnknownExperiment, " (--list names all {})")
    return names[wanted][wanted]


def _of_folder(text: str, kinds: Sequence[str]) -> LabTable:
    """Return a table or a study of a user's folder. Raises UnknownExperiment."""
    name, given = split(text)
    wanted = given.pop(CHOICE, None)
    game = load(name, **given)
    made = [one for kind in kinds for one in getattr(game.part("tables"), kind, ())]
    own = {one.name: one for one in made if isinstance(one, LabTable)}
    if wanted is None and len(own) == 1:
        wanted = next(iter(own))
    if wanted not in own:
        several = f"name one of {', '.join(own)}: {game.name}:{CHOICE}=NAME" if own else "its tables.py has none"
        raise UnknownExperiment(f"{game.name} has {len(own)} experiments; {several}")
    return own[wanted]
