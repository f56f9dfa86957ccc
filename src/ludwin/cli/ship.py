"""Images for a release: `python -m ludwin.cli.ship [FOLDER]` compiles the common searches for all registered games.

Why it is here.  Whoever installs a release need not wait for the first use.  This runs before the wheel is built,
writes one file per kind of machine (`ludwin.kernel.ship`), and needs no other machine for that: LLVM compiles for all
of them.  Without a FOLDER they go into this package, `ludwin/images`, where they are found, and from where the wheel
takes them.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ludwin.errors import CannotPlay
from ludwin.games import homes
from ludwin.kernel import ship
from ludwin.kernel.specialise import SHIPPED, Order, linked, order
from ludwin.kernel.text import Kernel
from ludwin.library import agent, load
from ludwin.search.perft import PERFT

# One text for each kernel: settings that are numbers do not change the code.
AGENTS = (
    "random",
    "greedy",
    "alphabeta",
    "alphabeta:table=16,killers=ply,history=1,pvs=1,deepen=1",
    "minimax",
    "expectimax",
    "maxn",
    "flat",
    "uct",
    "mcts",
    "ea-mcts",
)
TRIPLES = {"x86_64-linux": "x86_64-unknown-linux-gnu", "aarch64-linux": "aarch64-unknown-linux-gnu"}


def orders() -> Iterator[Order]:
    """Yield what a release brings: every registered game with every common agent that plays it, and perft."""
    for name in homes():
        game = load(name)
        kernels: list[Kernel] = [PERFT]
        for text in AGENTS:
            player = agent(text)
            try:
                player.suits(game)
            except CannotPlay:
                continue
            kernel = player.kernel(game)
            if kernel is not None and kernel not in kernels:
                kernels.append(kernel)
        for kernel in kernels:
            yield order(game, kernel, "fast")


def images(machine: str, wanted: list[Order]) -> dict[str, bytes]:
    """Return the images of a kind of machine by their names, compiled now."""
    from ludwin.kernel.compiler import machine as llvm

    found = {}
    for one in wanted:
        made, name = one.translate(), one.code(machine)
        found[name] = linked(one, made, llvm.object_code(made.text, TRIPLES[machine]), machine, name).pack()
    return found


def write(folder: Path, machines: list[str], wanted: list[Order], news: Callable[[str], None]) -> list[Path]:
    """Write the file of each kind of machine and return where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for machine in machines:
        began = time.process_time()
        found = images(machine, wanted)
        blob, path = ship.pack(found), folder / ship.file_name(machine)
        beside = path.with_suffix(f".{os.getpid()}")
        try:
            beside.write_bytes(blob)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
        seconds = time.process_time() - began
        news(f"{path}: {len(found)} images, {len(blob) / 1e6:.2f} MB ({seconds:.0f} s of CPU time)")
        paths.append(path)
    return paths


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m ludwin.cli.ship", description="Compile images for a release.")
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default=SHIPPED, help="where to (default: this package)")
    parser.add_argument("--machine", action="append", choices=tuple(TRIPLES), help="only for this kind of machine")
    options = parser.parse_args()
    try:
        write(Path(options.folder), options.machine or list(TRIPLES), list(orders()), print)
    except OSError as error:
        print(f"ludwin: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
