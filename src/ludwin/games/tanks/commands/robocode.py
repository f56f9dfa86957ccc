"""Battles in the original: Robocode 1.9.3.9, if it is installed, started without a window.

Why it is here.  Whether an evolved robot is any good is decided in the real program.  A battle there is started in a
folder of its own, with the seed that it shares with ours, and with a turn limit that no busy machine reaches, since a
skipped turn would make another battle of it.  Its results are read from its own table, its turns from `-recordXML`.

Debian's own launcher fails on Java 17, so Java is started here, with what the program needs to look into.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from ludwin.errors import BadParameter, LudwinError
from ludwin.progress import SILENT, Progress

HOME = Path("/usr/share/games/robocode")  # where Debian has battles, configuration and sample robots
JAR = Path("/usr/share/java/robocode.jar")
TURN_LIMIT = 5_000_000_000  # nanoseconds
OPENED = ("java.base/sun.net.www.protocol.jar", "java.base/java.lang.reflect", "java.desktop/sun.awt")
ROW = re.compile(r"\d+\w\w: (.+?)\t(\d+) \(\d+%\)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)")
ORDINARY = {"width": "800", "height": "600", "cooling": "0.1", "inactivity": "450"}


class OriginalResult(NamedTuple):
    """A robot's line of the original's table."""

    robot: str
    total: int
    survival: int
    last_survivor: int
    bullet_damage: int
    bullet_bonus: int
    ram_damage: int
    ram_bonus: int
    firsts: int
    seconds: int
    thirds: int


@dataclass(frozen=True)
class JavaRobot:
    """A robot of the original: its full name there, and its text if it must be compiled first."""

    name: str
    text: str = ""

    @property
    def called(self) -> str:
        """Its name in a battle's file: what was compiled by us has a star."""
        return f"{self.name}*" if self.text else self.name


def installed() -> str:
    """Return "" if battles can be fought in the original, else what is missing, with the way out."""
    home = _home()
    if not home[1].is_file():
        return f"Robocode is not installed ({home[1]} is not there): apt install robocode, or set LUDWIN_ROBOCODE"
    missing = [word for word in ("java", "javac") if shutil.which(word) is None]
    return f"there is no {missing[0]}: apt install default-jdk-headless" if missing else ""


def _home() -> tuple[Path, Path]:
    """Return the original's folder and its program; LUDWIN_ROBOCODE names a folder as its own installer makes it."""
    given = os.environ.get("LUDWIN_ROBOCODE", "")
    return (Path(given), Path(given) / "libs" / "robocode.jar") if given else (HOME, JAR)


def java_robot(text: str, path: str) -> JavaRobot:
    """Return the robot of a file of Java. Raises BadParameter if it has no public class."""
    package = re.search(r"^\s*package\s+([\w.]+)\s*;", text, re.MULTILINE)
    name = re.search(r"\bpublic\s+(?:final\s+)?class\s+(\w+)", text)
    if name is None:
        raise BadParameter(f"{path} has no public class, so it is no robot in Java")
    if package is None:
        raise BadParameter(f"{path} needs a package: the original finds robots by package and class")
    return JavaRobot(f"{package[1]}.{name[1]}", text)


class Original:
    """The original in a folder of its own, for any number of battles; leaving it takes the folder away."""

    def __init__(self) -> None:
        missing = installed()
        if missing:
            raise LudwinError(missing)
        self.home, self.jar = _home()

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="ludwin-robocode-"))
        for part in ("battles", "config", "robots", "compilers"):
            if (self.home / part).is_dir():
                shutil.copytree(self.home / part, self.folder / part)
        (self.folder / "config").mkdir(exist_ok=True)
        (self.folder / "battles").mkdir(exist_ok=True)
        (self.folder / "config" / "robocode.properties").write_text(f"robocode.cpu.constant={TURN_LIMIT}\n")
        self.compiled: dict[str, str] = {}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def compile(self, robot: JavaRobot) -> None:
        """Put a robot among the others. Raises LudwinError with the compiler's first line if it is no Java."""
        if self.compiled.get(robot.name) == robot.text:
            return
        if robot.name in self.compiled:
            raise BadParameter(f"two robots are called {robot.name}")
        source = self.folder / "source" / Path(*robot.name.split(".")).with_suffix(".java")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(robot.text, encoding="utf8")
        command = ["javac", "--release", "8", "-nowarn", "-encoding", "UTF-8", "-cp", str(self.jar)]
        done = subprocess.run(
            [*command, "-d", str(self.folder / "robots"), str(source)], capture_output=True, text=True, timeout=300
        )
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines()
            raise LudwinError(f"{robot.name} does not compile: {said[0].split('error:')[-1].strip() if said else '?'}")
        self.compiled[robot.name] = robot.text

    def battle(
        self,
        robots: Sequence[JavaRobot],
        rounds: int,
        seed: int,
        *,
        field: dict[str, str] | None = None,
        record: Path | None = None,
        progress: Progress = SILENT,
    ) -> list[OriginalResult]:
        """Fight a battle; the results are in the order of the robots. Raises LudwinError if it comes to no end."""
        for robot in robots:
            if robot.text:
                self.compile(robot)
        found = {**ORDINARY, **(field or {})}
        file, results = self.folder / "battles" / "ours.battle", self.folder / "results.txt"
        results.unlink(missing_ok=True)
        file.write_text(
            f"robocode.battleField.width={found['width']}\nrobocode.battleField.height={found['height']}\n"
            f"robocode.battle.numRounds={rounds}\nrobocode.battle.gunCoolingRate={found['cooling']}\n"
            f"robocode.battle.rules.inactivityTime={found['inactivity']}\nrobocode.battle.hideEnemyNames=false\n"
            f"robocode.battle.selectedRobots={','.join(robot.called for robot in robots)}\n"
        )
        command = ["java", "-Xmx512M", "-Djava.awt.headless=true", f"-DWORKINGDIRECTORY={self.folder}"]
        command += [f"-DRANDOMSEED={seed}", *(f"--add-opens={one}=ALL-UNNAMED" for one in OPENED)]
        command += ["-cp", str(self.jar), "robocode.Robocode", "-nodisplay", "-nosound", "-battle", str(file)]
        command += ["-results", str(results), *(["-recordXML", str(record)] if record else [])]
        said = self._run(command, rounds, progress)
        text = results.read_text(encoding="utf8", errors="replace") if results.is_file() else ""
        rows = {row[1]: OriginalResult(row[1], *map(int, row.groups()[1:])) for row in ROW.finditer(text)}
        names = _names(robots)
        missing = [name for name in names if name not in rows]
        if missing:
            why = next((line for line in said if "find" in line.lower() or "skipping" in line.lower()), "")
            raise LudwinError(
                f"the original fought no battle: {why}"
                if why
                else f"the original has no result for {missing[0]}: is it one of its robots?"
            )
        return [rows[name] for name in names]

    def _run(self, command: Sequence[str], rounds: int, progress: Progress) -> list[str]:
        """Run the program to its end; it tells of every round. Returns what it said."""
        progress.total(rounds, "the original", unit="rounds")
        said: list[str] = []
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
        ) as process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    said.append(line.rstrip())
                    ended = re.match(r"Round (\d+) cleaning up", line)
                    if ended:
                        progress.done(int(ended[1]))
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            raise LudwinError(f"the original ended with code {process.returncode}: {said[-1] if said else ''}")
        return said


def _names(robots: Sequence[JavaRobot]) -> list[str]:
    """Return what the original calls the robots of a battle: equal ones are numbered."""
    called = [robot.called for robot in robots]
    seen: dict[str, int] = {}
    found = []
    for name in called:
        seen[name] = seen.get(name, 0) + 1
        found.append(f"{name} ({seen[name]})" if called.count(name) > 1 else name)
    return found
