"""Who does the work of a command: workers of this machine, or a cluster.

Why it is here.  `--workers` and `--cluster` mean the same to everybody who has work to share out; here the line becomes
one number of workers, which may have machines behind it (`ludwin.spread.Crew`).  Nothing of a cluster is imported
unless one is asked for.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ludwin.errors import BadParameter


@contextmanager
def crew(options: argparse.Namespace, *texts: str | None) -> Iterator[int]:
    """Yield the number of workers; with `--cluster` one that has machines behind it, which know these users' files.

    Raises BadParameter.
    """
    if options.cluster is None:
        for word in ("keys", "insecure", "accept_arithmetic", "dashboard"):
            if getattr(options, word):
                raise BadParameter(f"--{word.replace('_', '-')} belongs to --cluster, which is not given")
        options.workers = options.workers or 1
        yield options.workers
        return
    if options.workers:
        raise BadParameter("--workers are of this machine and --cluster are other machines; give one of them")
    if getattr(options, "part", None):
        raise BadParameter("--part is a share that one machine does by itself; leave --cluster away")
    from ludwin.cli.common import say
    from ludwin.cli.terminal import telling
    from ludwin.cluster.opening import Wish, opened
    from ludwin.spread import Crew

    keys = Path(options.keys) if options.keys else None
    wish = Wish(options.cluster, keys, options.insecure, options.accept_arithmetic, options.dashboard)
    with opened(wish, say) as cluster, telling(cluster.words):
        carry(cluster, *texts)
        options.workers = Crew(1, cluster)
        yield options.workers


def carry(cluster: object, *texts: str | None) -> None:
    """Let a cluster know the users' files that a line names, so that errands can be sent with them."""
    from ludwin.library import is_path, split
    from ludwin.paths import typed
    from ludwin.rules.folder import is_folder
    from ludwin.shipping import pack_text

    for text in texts:
        if text and is_path(split(text)[0]):
            path = typed(split(text)[0])
            name = f"{path.resolve().name}/" if is_folder(path) else path.name
            cluster.packs[name] = pack_text(text)  # type: ignore[attr-defined]
