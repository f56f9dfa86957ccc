"""The command `compile`: the code of a search for a game, as LLVM's language or as machine code.

Why it is here.  "At the speed of C++" can be looked at.  The module that we write says what each line of a rule
becomes, before LLVM has touched it; behind it the same in few instructions, with the rules inside the search.
"""

import argparse
import time
from typing import TYPE_CHECKING, Any

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.game import Game
    from ludwin.kernel.image import Image
    from ludwin.kernel.text import Kernel

FUNCTION = r"(?m)^define internal .*? @([\w.]+?)\.\d+\("
SHOWN = 8  # names of functions in the summary
EXAMPLES = (
    ("ludwin compile draughts alphabeta", "what is compiled, how large it is, what it calls"),
    ("ludwin compile nim perft --ir --optimised", "LLVM's language, as LLVM has made it"),
    ("ludwin compile nim perft --asm", "the machine code"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, an agent, and what to look at."""
    take.game(parser, position=False)
    parser.add_argument("agent", metavar="AGENT", help="e.g. alphabeta or uct; also: perft")
    parser.add_argument("--mode", choices=take.MODES[1:], default="fast", help="which code (default: fast)")
    parser.add_argument("--ir", action="store_true", help="print the module in LLVM's language, as we write it")
    parser.add_argument("--optimised", action="store_true", help="with --ir: as LLVM has made it")
    parser.add_argument("--asm", action="store_true", help="print the machine code")


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    return {"agent": ["perft"]}


def kernel_of(text: str, game: "Game") -> "Kernel":
    """Return the kernel of an agent, or of `perft`. Raises CannotPlay if it does not play the game or has none."""
    from ludwin.errors import CannotPlay
    from ludwin.kernel.text import Kernel
    from ludwin.library import agent

    if text == "perft":
        from ludwin.search.perft import PERFT

        return PERFT
    player = agent(text)
    player.suits(game)
    kernel = player.kernel(game)
    if kernel is None:
        raise CannotPlay(f"{player} is not compiled: it has no kernel, and runs as plain Python")
    assert isinstance(kernel, Kernel)
    return kernel


def run(options: argparse.Namespace) -> int:
    """Print what the code of an agent for a game is, or the code itself."""
    import re

    from ludwin.cli.common import load, print_json
    from ludwin.errors import BadParameter
    from ludwin.kernel.image import target
    from ludwin.kernel.specialise import obtained, order

    game = load(options.game)
    if options.ir and options.asm:
        raise BadParameter("give --ir or --asm, not both")
    if options.optimised and not options.ir:
        raise BadParameter("--optimised goes with --ir; --asm shows optimised code anyway")
    wanted = order(game, kernel_of(options.agent, game), options.mode)
    began = time.process_time()
    made = wanted.translate()
    translated = time.process_time() - began
    if options.ir or options.asm:
        key, text = ("asm", _assembly(made.text)) if options.asm else ("ir", made.text)
        if options.optimised:
            text = _optimised(made.text)
        if options.json:
            print_json({**wanted.about(), "name": wanted.name(), "target": target(), key: text})
        else:
            print(text.rstrip("\n"))
        return 0
    began = time.process_time()
    _, image, source = obtained(wanted)
    seconds = time.process_time() - began
    functions = re.findall(FUNCTION, made.text)
    data = {**_facts(image), "functions": functions, "lines": made.text.count("\n") + 1, "from": source}
    data |= {"translate_seconds": translated, "seconds": seconds}
    if options.json:
        print_json(data)
    else:
        _print(data)
    return 0


def _optimised(text: str) -> str:
    from ludwin.kernel.compiler import machine

    return str(machine.optimised(text))


def _assembly(text: str) -> str:
    from ludwin.kernel.compiler import machine

    return machine.assembly(text)


def _facts(image: "Image") -> dict[str, Any]:
    index = image.index
    return {
        **index["about"],
        "name": index["name"],
        "target": index["target"],
        "bytes": len(image.pack()),
        "code": len(image.fixed),
        "addresses": len(image.data) // 8,
        "signature": index["signature"],
        "result": index["result"],
        "imports": sorted(name for _, name in index["imports"]),
        "faults": len(index["faults"]),
    }


def _print(data: dict[str, Any]) -> None:
    names = list(dict.fromkeys(data["functions"]))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    how = {
        "compiled": f"compiled in {data['seconds']:.2f} s of CPU time, and kept",
        "cache": f"loaded from the cache in {1000 * data['seconds']:.1f} ms",
        "package": f"came with the package, loaded in {1000 * data['seconds']:.1f} ms",
    }
    print(f"{data['kernel']} for {data['game']} ({data['mode']}, {data['target']})")
    print(f"  name       {data['name']}")
    parts = f"of it code and constants {data['code']:,}, addresses {data['addresses']}"
    letters = "p pointer, q integer, d float, n nothing"
    print(f"  image      {data['bytes']:,} bytes, {parts}")
    print(f"  entry      takes {data['signature']}, returns {data['result']} ({letters})")
    print(f"  calls      {', '.join(data['imports']) or 'nothing'} of the C library")
    print(f"  functions  {len(data['functions'])} translated: {', '.join(names[:SHOWN])}{more}")
    print(f"  module     {data['lines']:,} lines, written in {data['translate_seconds']:.2f} s of CPU time")
    print(f"  faults     {data['faults']} places where it can stop, each with its line")
    print(f"  made       {how[data['from']]}")
