"""Programs as clauses: search algorithms found by program transformation, with proofs."""

import sys
from types import ModuleType
from typing import Any


class _DiscoverPackage(ModuleType):
    """This package, which can be called: `ludwin.discover(…)` is the function `ludwin.discover.problems.discover`."""

    def __call__(self, *given: Any, **words: Any) -> Any:
        from ludwin.discover.problems import discover

        return discover(*given, **words)


sys.modules[__name__].__class__ = _DiscoverPackage
