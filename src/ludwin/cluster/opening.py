"""What `--cluster` means: listen, an address, local:N, slurm:FILE; each opened, announced and closed.

Why it is here.  Four ways to have machines, one thing that comes of them.  By default the coordinator is the
scheduler's process, so that one death is one death; an address names a scheduler that somebody else runs.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ludwin.cluster.keys import HOME, is_loopback, security
from ludwin.errors import BadParameter, did_you_mean
from ludwin.formats import read_text

PORT = 8786
CONNECT_SECONDS = 10.0
WAIT_SECONDS = 60.0  # for the first worker of local:N


@dataclass(frozen=True)
class Wish:
    """A `--cluster` with what belongs to it."""

    text: str
    keys: Path | None = None
    insecure: bool = False
    accept: bool = False
    dashboard: bool = False


def demand_engine() -> None:
    """Raise BadParameter with the line that mends it if Dask is not installed."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise BadParameter("a cluster needs Dask distributed: python -m pip install 'ludwin[cluster]'") from None


def examine(wish: Wish) -> None:
    """Raise BadParameter for a wish that cannot be, before anything is imported or begun."""
    kind, _, rest = wish.text.partition(":")
    if kind == "local":
        if not rest.isdigit() or not 1 <= int(rest) <= 1024:
            raise BadParameter(f"--cluster local:N takes a number of processes from 1 to 1024, got {wish.text!r}")
    elif kind == "listen":
        listening(wish)
    elif kind == "slurm":
        slurm_file(rest)
        listening(replace(wish, text="listen"))
    elif kind in ("tls", "tcp"):
        security(wish.text, wish.keys, wish.insecure)
    else:
        near = did_you_mean(kind, ("local", "listen", "slurm", "tls", "tcp"))
        raise BadParameter(
            f"--cluster takes listen, local:N, slurm:FILE or an address (tls://host:8786), got {wish.text!r}{near}"
        )
    demand_engine()


def listening(wish: Wish) -> tuple[str, str, int]:
    """Return protocol, host and port of `listen`, `listen:HOST` or `listen:HOST:PORT`. Raises BadParameter."""
    rest = wish.text.partition(":")[2]
    host, _, port = rest.rpartition(":") if rest.rpartition(":")[2].isdigit() else (rest, "", str(PORT))
    if not 0 <= int(port) < 65536:
        raise BadParameter(f"a port is a number below 65536, got {port}")
    protocol = "tls" if wish.keys else "tcp"
    if not wish.keys and not wish.insecure and (not host or not is_loopback(host)):
        raise BadParameter(
            f"--cluster {wish.text} would let anybody who reaches this machine run anything; make keys (`ludwin "
            f"cluster keys DIR`) and add --keys DIR, or listen on this machine alone: --cluster listen:127.0.0.1"
        )
    security(f"{protocol}://{host or 'all'}", wish.keys, wish.insecure)
    return protocol, host, int(port)


@contextmanager
def opened(wish: Wish, say: Callable[[str], None]) -> Iterator[Any]:
    """Yield the `Cluster` of a wish, and leave nothing behind. Raises BadParameter."""
    examine(wish)
    from ludwin.cluster.keeper import settle_dask

    settle_dask()
    kind, _, rest = wish.text.partition(":")
    with contextlib.ExitStack() as stack:
        if kind in ("tls", "tcp"):
            address, keys = wish.text, wish.keys
        else:
            keys = None if kind == "local" else wish.keys
            home = stack.enter_context(_scheduler(wish, kind))
            address = home.address
        if kind == "listen":
            more = f" --keys {wish.keys}" if wish.keys else " --insecure" if wish.insecure else ""
            say(f"listening on {address}; on other machines: ludwin worker {address}{more}")
        cluster = _reached(address, keys, wish, say)
        stack.callback(cluster.close)
        if kind == "local":
            stack.enter_context(_keeper(address, int(rest)))
        if kind == "slurm":
            stack.enter_context(_slurm(address, wish, slurm_file(rest), say))
        yield cluster


def _reached(address: str, keys: Path | None, wish: Wish, say: Callable[[str], None]) -> Any:
    """Return a cluster that is connected. Raises BadParameter if nobody answers."""
    from distributed import Client

    from ludwin.cluster.engine import Cluster

    secure = security(address, keys, wish.insecure)
    client: Any = Client

    def reach() -> Any:
        return client(address, security=secure, set_as_default=False, timeout=CONNECT_SECONDS, direct_to_workers=True)

    try:
        return Cluster(reach, say=say, accept=wish.accept)
    except (OSError, TimeoutError) as error:
        told = str(error).strip().splitlines()[-1][:160] if str(error).strip() else type(error).__name__
        cause = " (other keys, or none?)" if keys or "SSL" in told or "TLS" in told else ""
        raise BadParameter(f"no scheduler answers at {address}{cause}: {told}") from None


class _Home:
    """A scheduler in a thread of this process."""

    def __init__(self, wish: Wish, kind: str):
        protocol, host, port = ("tcp", HOME, 0) if kind == "local" else listening(wish)
        self.secure = security(f"{protocol}://{host or 'all'}", None if kind == "local" else wish.keys, wish.insecure)
        self.place = (protocol, host, port)
        self.dashboard = wish.dashboard
        self.address = ""
        self.failure: BaseException | None = None
        self.ready, self.loop = threading.Event(), asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="ludwin-scheduler", daemon=True)
        self.thread.start()
        self.ready.wait()
        if self.failure is not None:
            raise BadParameter(f"cannot listen on {host or 'this machine'}:{port}: {self.failure}")

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.end = asyncio.Event()
        with contextlib.suppress(Exception):
            self.loop.run_until_complete(self._serve())
        self.ready.set()

    async def _serve(self) -> None:
        from distributed import Scheduler

        protocol, host, port = self.place
        try:
            scheduler: Any = Scheduler(
                host=host or None,
                port=port,
                protocol=f"{protocol}://",
                security=self.secure,
                dashboard=self.dashboard,
                dashboard_address=f"{HOME}:{8787 if self.dashboard else 0}",  # it tells who works at what
            )
            await scheduler
        except Exception as error:
            self.failure = error
            self.ready.set()
            return
        self.address = scheduler.address
        self.ready.set()
        await self.end.wait()
        with contextlib.suppress(Exception):
            await asyncio.wait_for(scheduler.close(), 5)

    def close(self) -> None:
        """End the scheduler."""
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join(8)


@contextmanager
def _scheduler(wish: Wish, kind: str) -> Iterator[_Home]:
    home = _Home(replace(wish, text="listen") if kind == "slurm" else wish, kind)
    try:
        yield home
    finally:
        home.close()


@contextmanager
def _keeper(address: str, processes: int) -> Iterator[None]:
    """Start workers of this machine, as `ludwin worker` would, and end them at the end."""
    words = [sys.executable, "-m", "ludwin", "worker", address, "--processes", str(processes), "--quiet"]
    process = subprocess.Popen([*words, "--cache", "usual"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(1.5)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)  # nobody waits for what is in hand any more
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(3)
            process.kill()
            process.wait()


# ---- SLURM ----------------------------------------------------------------------------------------------------------

SLURM = {"jobs": 1, "cores": 0, "partition": "", "account": "", "time": "", "memory": "", "lines": [], "before": []}


def slurm_file(name: str) -> dict[str, Any]:
    """Return what a file says about jobs: how many, cores of each, partition, account, time. Raises BadParameter."""
    if not name:
        raise BadParameter(
            "--cluster slurm:FILE takes a file that says how jobs are asked for (docs/how-to/cluster.md)"
        )
    try:
        told = tomllib.loads(read_text(Path(name)))
    except tomllib.TOMLDecodeError as error:
        raise BadParameter(f"{name}: {error}") from None
    for key, value in told.items():
        if key not in SLURM:
            raise BadParameter(f"{name}: no setting {key!r}{did_you_mean(key, SLURM)} (it has {', '.join(SLURM)})")
        wanted = type(SLURM[key])
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise BadParameter(f"{name}: {key} must be {'a list of lines' if wanted is list else wanted.__name__}")
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(one, str) and not one.isprintable() for one in texts) or (
            wanted is list and not all(isinstance(one, str) for one in texts)
        ):
            raise BadParameter(f"{name}: {key} must be text of one line")
    found = {**SLURM, **told}
    if not 1 <= found["jobs"] <= 1000 or not 1 <= found["cores"] <= 4096:
        raise BadParameter(
            f"{name}: jobs must be 1 to 1000 and cores 1 to 4096, got {found['jobs']} and {found['cores']}"
        )
    return found


def slurm_script(address: str, wish: Wish, told: dict[str, Any]) -> str:
    """Return the job that runs workers: an array, every task of which has the cores of one worker's host."""
    asked = [f"--array=1-{told['jobs']}", f"--cpus-per-task={told['cores']}", "--ntasks=1", "--job-name=ludwin"]
    asked += [f"--{word}={told[key]}" for word, key in _SBATCH if told[key]]
    asked += ["--output=/dev/null", "--requeue", "--signal=B:TERM@60"]
    keys = f" --keys '{wish.keys.resolve()}'" if wish.keys else " --insecure"
    worker = f"'{sys.executable}' -m ludwin worker {address} --processes {told['cores']}{keys}"
    lines = ["#!/bin/sh", *(f"#SBATCH {one}" for one in asked), *(f"#SBATCH {one}" for one in told["lines"])]
    return "\n".join([*lines, *told["before"], f"exec {worker}", ""])


_SBATCH = (("partition", "partition"), ("account", "account"), ("time", "time"), ("mem", "memory"))


@contextmanager
def _slurm(address: str, wish: Wish, told: dict[str, Any], say: Callable[[str], None]) -> Iterator[None]:
    """Ask SLURM for jobs that run workers, and cancel what is left of them at the end."""
    if shutil.which("sbatch") is None:
        raise BadParameter("there is no sbatch here; --cluster slurm:FILE is for a login node of a SLURM cluster")
    script = slurm_script(address, wish, told)
    done = subprocess.run(["sbatch", "--parsable"], input=script, capture_output=True, text=True)
    if done.returncode:
        raise BadParameter(f"sbatch refused the job: {done.stderr.strip().splitlines()[-1:]}")
    number = done.stdout.strip().partition(";")[0]
    say(f"SLURM job {number}: {told['jobs']} times {told['cores']} cores are asked for")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            subprocess.run(["scancel", number], capture_output=True, env=dict(os.environ))
