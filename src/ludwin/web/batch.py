"""A command that was started from the page: it ends with the server, leaves room for others, and can be resumed.

`python -m ludwin.web.batch evolve onemax --out DIR` is `ludwin evolve onemax --out DIR`.
"""

import os
import runpy
from contextlib import suppress

from ludwin.web.nursery import die_with_parent

if __name__ == "__main__":
    die_with_parent()
    with suppress(OSError, AttributeError):
        os.nice(5)
    runpy.run_module("ludwin", run_name="__main__")
