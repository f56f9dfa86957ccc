"""The command `cache`: what compiled code is kept, and how to be rid of it."""

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludwin.kernel.inventory import CacheEntry

EXAMPLES = (
    ("ludwin cache", "how much is kept, and where"),
    ("ludwin cache --old", "remove what this version cannot use"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take what to do with it."""
    parser.add_argument("--list", action="store_true", help="list every image: game, kernel, mode, size")
    parser.add_argument("--old", action="store_true", help="remove what this version cannot use")
    parser.add_argument("--clear", action="store_true", help="remove everything that is kept")


def run(options: argparse.Namespace) -> int:
    """Show, list or remove what is kept."""
    from ludwin.cli.common import print_json, print_table
    from ludwin.errors import BadParameter
    from ludwin.kernel import cache
    from ludwin.kernel.inventory import entries, remove_useless

    if options.clear and (options.old or options.list):
        raise BadParameter("--clear removes everything: give it alone")
    found = entries()
    freed = cache.clear() if options.clear else remove_useless(found) if options.old else 0
    left = entries() if freed else found
    if options.json:
        print_json(_data(left, freed, options.list))
    elif options.clear or options.old:
        what = "entries" if options.clear else "entries that this version cannot use"
        print(f"removed {len(found) - len(left)} {what} ({freed / 1e6:.1f} MB) from {cache.folder()}")
    else:
        _print(left)
    if options.list and not options.json:
        rows = [[e.game or e.name, e.kernel, e.mode, f"{e.bytes:,}", _remark(e)] for e in _by_game(left)]
        print_table("images", ["game", "kernel", "mode", "bytes", ""], rows, right=(3,))
    return 0


def _by_game(found: "Sequence[CacheEntry]") -> "list[CacheEntry]":
    images = [entry for entry in found if entry.is_image]
    return sorted(images, key=lambda entry: (not entry.game, entry.game, entry.kernel, entry.mode, entry.name))


def _remark(entry: "CacheEntry") -> str:
    from ludwin.kernel.image import target

    if entry.state != "ready":
        return entry.state
    return "" if entry.target == target() else f"for {entry.target}"


def _data(found: "Sequence[CacheEntry]", freed: int, listed: bool) -> dict[str, Any]:
    from ludwin.kernel import cache

    images = [entry for entry in found if entry.is_image]
    data: dict[str, Any] = {"folder": str(cache.folder()), "temporary": cache.is_temporary()}
    data |= {"entries": len(found), "bytes": sum(entry.bytes for entry in found), "freed": freed}
    data |= {"images": len(images), "states": dict(sorted(Counter(entry.state for entry in images).items()))}
    if listed:
        data["list"] = [vars(entry) for entry in _by_game(found)]
    return data


def _print(found: "Sequence[CacheEntry]") -> None:
    from ludwin.kernel import cache
    from ludwin.kernel.inventory import USELESS

    note = " (temporary: the usual place cannot be used)" if cache.is_temporary() else ""
    images = [entry for entry in found if entry.is_image]
    size = sum(entry.bytes for entry in images)
    print(f"{len(images)} images, {size / 1e6:.1f} MB in {cache.folder()}{note}")
    useless = Counter(entry.state for entry in images if entry.state in USELESS)
    if useless:
        words = ", ".join(f"{count} {state}" for state, count in sorted(useless.items()))
        lost = sum(entry.bytes for entry in images if entry.state in USELESS)
        print(f"  of no use to this version: {words} ({lost / 1e6:.1f} MB); `ludwin cache --old` removes them")
    others = sum(entry.bytes for entry in found if not entry.is_image)
    if others:
        print(f"  beside them: notes of what was checked, C++ references ({others / 1e6:.1f} MB)")
    print("  `ludwin cache --list` shows what they are for, `ludwin cache --clear` removes everything")
