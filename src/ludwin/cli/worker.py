"""The command `worker`: take errands of a coordinator, and come back whenever it does."""

import argparse

from ludwin.cli import options as take

CLOSES = True
EXAMPLES = (
    ("ludwin worker tls://head:8786 --keys ludwin-keys", "all cores of this machine, until Ctrl-C"),
    ("ludwin worker tls://head:8786 --keys ludwin-keys --processes 8 --for 7h", "eight of them, for seven hours"),
    ("ludwin worker tcp://127.0.0.1:8786", "plain TCP on this machine alone"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take an address and how much of this machine it may have."""
    parser.add_argument("address", metavar="ADDRESS", help="of the scheduler, as `--cluster listen` prints it")
    parser.add_argument("--processes", type=take.positive, metavar="N", help="workers (default: one for each core)")
    parser.add_argument("--keys", metavar="DIR", help="keys of the cluster (`ludwin cluster keys DIR` makes them)")
    parser.add_argument("--memory", metavar="SIZE", help="begin a process anew that takes more, e.g. 2G")
    parser.add_argument("--for", dest="stay", metavar="TIME", help="how long to stay, e.g. 8h (default: for ever)")
    parser.add_argument("--only-ours", action="store_true", help="refuse users' files: games, agents and problems")
    parser.add_argument("--insecure", action="store_true", help="plain TCP beyond this machine")
    parser.add_argument("--once", action="store_true", help="do not come back when the scheduler has gone")
    parser.add_argument("--quiet", action="store_true", help="say nothing but mistakes")
    parser.add_argument(
        "--cache",
        metavar="DIR",
        help="where compiled code is kept: a folder, or `usual` (default: a folder of this machine's own)",
    )


def run(options: argparse.Namespace) -> int:
    """Keep workers until somebody ends it."""
    import os
    import tempfile
    from pathlib import Path

    from ludwin.cli.common import say
    from ludwin.cluster.keeper import Keeper, Post, memory_of, seconds_of
    from ludwin.cluster.keys import security
    from ludwin.cluster.opening import demand_engine
    from ludwin.errors import BadParameter

    if not options.address.startswith(("tls://", "tcp://")) or ":" not in options.address[6:]:
        raise BadParameter(f"an address is tls://HOST:PORT or tcp://HOST:PORT, got {options.address!r}")
    keys = Path(options.keys) if options.keys else None
    post = Post(
        options.address,
        options.processes or _cores(),
        keys,
        options.insecure,
        memory_of(options.memory) if options.memory else 0,
        seconds_of(options.stay) if options.stay else 0.0,
        options.only_ours,
        not options.once,
    )
    demand_engine()
    security(options.address, keys, options.insecure)
    if options.cache != "usual":
        # A home that machines share would mean locks over the network, and one cache for different processors.
        own = Path(tempfile.gettempdir()) / f"ludwin-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
        if options.cache or "LUDWIN_CACHE" not in os.environ:
            os.environ["LUDWIN_CACHE"] = options.cache or str(own)
    return Keeper(post, (lambda line: None) if options.quiet else say).run()


def _cores() -> int:
    """Return the cores that this process may use: a job of a queue has fewer than the machine."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
