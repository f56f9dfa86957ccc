"""The command `compile`: the code of a search for a game, as LLVM's language or as machine code.

Why it is here.  "At the speed of C++" can be looked at.  The module that we write says what each line of a rule
becomes, before LLVM has touched it; behind it the same in few instructions, with the rules inside the search.
"""

import argparse
import re
import time
from collections.abc import Callable
from typing import Any

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game
from ludwin.kernel.image import Image, target
from ludwin.kernel.specialise import obtained, order
from ludwin.kernel.text import Kernel
from ludwin.library import agent

FUNCTION = re.compile(r"^define internal .*? @([\w.]+?)\.\d+\(", re.M)
SHOWN = 8  # names of functions in the summary


def kernel_of(text: str, game: Game) -> Kernel:
    """Return the kernel of an agent, or of `perft`. Raises CannotPlay if it does not play the game or has none."""
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


def compile_code(options: argparse.Namespace, game: Game, print_json: Callable[[dict[str, Any]], None]) -> int:
    """Print what the code of an agent for a game is, or the code itself."""
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
    functions = FUNCTION.findall(made.text)
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


def _facts(image: Image) -> dict[str, Any]:
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
