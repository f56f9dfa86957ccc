"""The pictures of README and docs, made from the package itself: `python -m tests.docs.pictures` writes them anew.

Why it is here.  A picture that nobody makes again shows what the program looked like once.
"""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import ludwin
from ludwin.games import GAMES
from ludwin.primitives import stream
from ludwin.svg import dressed

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
README = ("connect-four", "reversi", "carcassonne", "chess")  # four of them on its first screen
PLIES = {"connect-four": 17, "reversi": 24, "carcassonne": 41, "chess": 12, "nim": 4, "li-nim": 2}
WORLDS = {  # who drives, and at which tick they are drawn
    "racing": ("racing:cars=3", ("own:driver=lane", "own:driver=apex", "own:driver=cautious"), 150),
    "tanks": ("tanks:robots=4", ("walls", "crazy", "tracker", "spin_bot"), 60),
}


def after(name: str, plies: int, seed: int = 7) -> "ludwin.State":
    """Return a position of a random game; one that would be over is left a ply before."""
    state = ludwin.load(name).start()
    for ply in range(plies):
        legal = state.moves()
        if state.over or not legal:
            break
        then = state.play(legal[stream(seed, ply) % len(legal)])
        if then.over and name not in README:
            break
        state = then
    return state


def at_tick(text: str, drivers: tuple[str, ...], tick: int) -> "ludwin.State":
    """Return a state of a world, some ticks after it began."""
    from ludwin.arena.simulate import Stage
    from ludwin.library import agents

    found: list[ludwin.State] = []

    def note(number: int, state: "ludwin.State") -> None:
        found.append(state)
        if number >= tick:
            raise KeyboardInterrupt  # enough was seen

    game = ludwin.load(text)
    with suppress(KeyboardInterrupt):
        Stage(game, agents(drivers, game), "fast").play(3, frame=note)
    return found[-1]


def of_game(name: str) -> str:
    """Return the picture of a game."""
    state = at_tick(*WORLDS[name]) if name in WORLDS else after(name, PLIES.get(name, 12))
    return dressed(state.picture())


def tree() -> str:
    """Return a search tree that Monte Carlo has grown."""
    from ludwin.search.montecarlo.view import draw

    game = ludwin.load("connect-four")
    state = game.start().play("d").play("d")
    return dressed(draw(ludwin.agent("mcts:playouts=300").tree(game, state, seed=3, mode="plain"), 40))


def study() -> str:
    """Return the figure of the study that docs/how-to/your-own-study.md runs."""
    page = (FOLDER.parent / "how-to" / "your-own-study.md").read_text(encoding="utf8")
    text = page.split("```python my_study.py\n")[1].split("```")[0]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "my_study.py").write_text(text, encoding="utf8")
        ludwin.reproduce(f"{folder}/my_study.py", out=f"{folder}/out")
        return (Path(folder) / "out" / "figure.svg").read_text(encoding="utf8")


def curve() -> str:
    """Return the values of a whole game, with its mistakes."""
    from ludwin.arena.pages import curve_svg

    with tempfile.TemporaryDirectory() as folder:
        ludwin.match("connect-four", "uct:playouts=60", "uct:playouts=30", games=2, seed=5, out=f"{folder}/g.jsonl")
        found = ludwin.analyse_file(f"{folder}/g.jsonl", "uct:playouts=300", seed=1)
        return dressed(curve_svg(found))


OTHERS: dict[str, Callable[[], str]] = {"tree": tree, "study": study, "curve": curve}


def sheet() -> str:
    """Return the page that shows every game: a contact sheet."""
    lines = [
        "# All games on one sheet",
        "",
        "What each game draws of a position, made by the tests from the package itself:",
    ]
    lines[2] += " `ludwin moves GAME --svg FILE` draws any position, and a game of your own has a picture with no code."
    lines += ["", "| | | |", "|---|---|---|"]
    cells = [f'[<img src="../pictures/{name}.svg" width="220" alt="{name}">]({name}.md)<br>{name}' for name in GAMES]
    cells += [""] * (-len(cells) % 3)
    lines += [f"| {' | '.join(cells[k : k + 3])} |" for k in range(0, len(cells), 3)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        (FOLDER / f"{name}.svg").write_text(of_game(name), encoding="utf8")
    for name, make in OTHERS.items():
        (FOLDER / f"{name}.svg").write_text(make(), encoding="utf8")
    (FOLDER.parent / "games" / "pictures.md").write_text(sheet(), encoding="utf8")
