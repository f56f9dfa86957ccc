"""Who dies, is stopped, does not fit or has no keys: the result is the same, or there is one line that says why."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from clusters import begun, children, end, free_port, ludwin, scheduler, start

pytest.importorskip("distributed", reason="Dask distributed is not installed: pip install 'ludwin[cluster]'")
pytestmark = pytest.mark.slow

SLEEPY = "import time\n\n\ndef choose(state):\n    time.sleep(0.03)\n    return state.moves()[0]\n"
MATCH = ("match", "nim", "./sleepy.py", "random", "--seed", "3")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sleepy.py").write_text(SLEEPY)
    return tmp_path


class Piece:
    """A scheduler, a keeper, a coordinator: ended at the end."""

    def __init__(self, folder):
        self.folder, self.processes, self.port = folder, [], free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"

    def add(self, process):
        self.processes.append(process)
        return process


@pytest.fixture
def piece(folder):
    found = Piece(folder)
    yield found
    end(*found.processes)


def wait_for(path, words, seconds=90):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if path.exists() and re.search(words, path.read_text()):
            return path.read_text()
        time.sleep(0.2)
    raise AssertionError(f"{words!r} never came: {path.read_text() if path.exists() else 'nothing'}")


def played(piece, games, do, *more):
    """Play a match on a cluster, let something happen meanwhile, and compare it with one that was played here."""
    assert ludwin(*MATCH, "--games", games, "--workers", 2, "--out", "calm.jsonl").returncode == 0
    piece.add(scheduler(piece.port, piece.folder / "scheduler.log"))
    keeper = piece.add(start("worker", piece.address, "--processes", 2, "--cache", "usual", log=piece.folder / "k.log"))
    line = (*MATCH, "--games", games, "--cluster", piece.address, "--out", "wild.jsonl", *more)
    coordinator = piece.add(start(*line, log=piece.folder / "c.log"))
    until = time.monotonic() + 120
    while time.monotonic() < until and not (
        Path("wild.jsonl").exists() and Path("wild.jsonl").read_bytes().count(b"\n") > 10
    ):
        time.sleep(0.1)
    do(keeper, coordinator)
    assert coordinator.wait(300) == 0, (piece.folder / "c.log").read_text()
    assert Path("calm.jsonl").read_bytes() == Path("wild.jsonl").read_bytes()


def test_a_worker_that_is_stopped_for_a_minute_changes_nothing(piece):
    def stop(keeper, coordinator):
        victim = children(keeper.pid)[0]
        os.kill(victim, signal.SIGSTOP)
        time.sleep(60)
        os.kill(victim, signal.SIGCONT)

    played(piece, 400, stop)


def test_a_scheduler_that_is_killed_and_comes_back_on_its_port_changes_nothing(piece):
    def restart(keeper, coordinator):
        end(piece.processes[0])
        piece.add(scheduler(piece.port, piece.folder / "scheduler.log"))

    played(piece, 300, restart)


def test_nothing_is_left_ten_seconds_after_the_end(folder):
    before = set(_ours())
    assert ludwin(*MATCH, "--games", 20, "--cluster", "local:2", "--out", "x.jsonl").returncode == 0
    until = time.monotonic() + 10
    while set(_ours()) - before and time.monotonic() < until:
        time.sleep(0.2)
    assert not set(_ours()) - before


def _ours():
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").resolve() == Path.cwd() and entry.name != str(os.getpid()):
                yield entry.name
        except OSError:
            continue


def test_a_part_that_kills_worker_after_worker_is_told(folder):
    text = """
import os

from ludwin.evolve import Plan, Problem
from ludwin.evolve.vectors import Bits


def deadly(genome):
    os._exit(7)


PROBLEM = Problem("deadly", Bits(4), fitness=deadly, plan=Plan(population=2, generations=1))
"""
    (folder / "deadly.py").write_text(text)
    found = ludwin("evolve", "./deadly.py", "--cluster", "local:2", "--out", "run")
    assert found.returncode == 2
    assert "a part has killed worker after worker" in found.stderr
    assert "workers die before they are done (exit status 7)" in found.stderr.splitlines()[-1]


def test_a_full_disk_stops_with_one_line_and_nothing_torn(folder):
    mount = folder / "small"
    mount.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", mount]).returncode:
        pytest.skip("a small disk can only be mounted by root")
    try:
        line = ("match", "nim", "uct:playouts=5", "random", "--seed", 3, "--games", 3000)
        full = ludwin(*line, "--cluster", "local:2", "--out", mount / "x.jsonl")
        assert full.returncode == 2
        assert "No space left on device" in full.stderr.splitlines()[-1]
        shutil.copy(mount / "x.jsonl", "x.jsonl")
        assert ludwin(*line, "--resume", "x.jsonl").returncode == 0
        assert ludwin(*line, "--out", "whole.jsonl").returncode == 0
        assert Path("x.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    finally:
        subprocess.run(["umount", mount])


# ---- Keys ----------------------------------------------------------------------------------------------------------


def test_a_match_over_tls_is_the_same_and_other_keys_or_none_are_refused(piece):
    for name in ("keys", "other"):
        assert ludwin("cluster", "keys", name).returncode == 0
    assert ludwin(*MATCH, "--games", 200, "--out", "calm.jsonl", "--workers", 2).returncode == 0
    address = f"tls://127.0.0.1:{piece.port}"
    where = ("--cluster", f"listen:127.0.0.1:{piece.port}", "--keys", "keys")
    coordinator = piece.add(start(*MATCH, "--games", 200, *where, "--out", "wild.jsonl", log=piece.folder / "c.log"))
    wait_for(piece.folder / "c.log", "listening on tls://")
    wrong = ludwin("match", "nim", "greedy", "random", "--games", 2, "--cluster", address, "--keys", "other")
    assert wrong.returncode == 2 and "no scheduler answers at tls://" in wrong.stderr.splitlines()[-1]
    plain = address.replace("tls", "tcp")
    wrong = ludwin("match", "nim", "greedy", "random", "--games", 2, "--cluster", plain)
    assert wrong.returncode == 2 and "no scheduler answers at tcp://" in wrong.stderr.splitlines()[-1]
    stranger = piece.add(start("worker", address, "--keys", "other", "--processes", 1, log=piece.folder / "s.log"))
    time.sleep(8)
    assert Path("wild.jsonl").read_bytes().count(b"\n") == 1  # nobody has played a game yet
    piece.add(start("worker", address, "--keys", "keys", "--processes", 2, log=piece.folder / "k.log"))
    assert coordinator.wait(200) == 0, (piece.folder / "c.log").read_text()
    assert Path("calm.jsonl").read_bytes() == Path("wild.jsonl").read_bytes()
    assert stranger.poll() is None


# ---- Who does not fit ----------------------------------------------------------------------------------------------


def refused(piece, environment, told):
    """Start a worker in another environment beside one that fits; return what the coordinator says."""
    port = piece.port
    where = ("--cluster", f"listen:127.0.0.1:{port}", "--out", "wild.jsonl")
    coordinator = piece.add(start(*MATCH, "--games", 100, *where, log=piece.folder / "c.log"))
    wait_for(piece.folder / "c.log", "listening on tcp://")
    log = piece.folder / "s.log"
    stranger = piece.add(
        start("worker", piece.address, "--processes", 1, "--cache", "usual", log=log, env={**os.environ, **environment})
    )
    wait_for(piece.folder / "c.log", told)
    assert stranger.wait(60) == 2  # it was told why, and does not come back
    assert re.search(told, log.read_text())
    assert Path("wild.jsonl").read_bytes().count(b"\n") == 1
    piece.add(start("worker", piece.address, "--processes", 2, "--cache", "usual"))
    assert coordinator.wait(200) == 0
    assert ludwin(*MATCH, "--games", 100, "--out", "calm.jsonl").returncode == 0
    assert Path("calm.jsonl").read_bytes() == Path("wild.jsonl").read_bytes()


def test_a_worker_of_another_version_is_refused_with_the_line_that_mends_it(piece):
    fake = piece.folder / "fake" / "llvmlite-0.1.dist-info"
    fake.mkdir(parents=True)
    (fake / "METADATA").write_text("Metadata-Version: 2.1\nName: llvmlite\nVersion: 0.1\n")
    path = os.pathsep.join(filter(None, (str(fake.parent), os.environ.get("PYTHONPATH", ""))))
    refused(piece, {"PYTHONPATH": path}, "llvmlite 0.1 instead of .*python -m pip install 'llvmlite==")


def test_a_worker_of_other_arithmetic_is_refused_by_name(piece):
    tunables = "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable,-AVX512F"
    code = "from ludwin.cluster.arithmetic import fingerprint; print(fingerprint())"
    told = {
        subprocess.run([sys.executable, "-c", code], env={**os.environ, **more}, capture_output=True, text=True).stdout
        for more in ({}, {"GLIBC_TUNABLES": tunables})
    }
    if len(told) < 2:
        pytest.skip("this C library rounds the same with and without fused multiply-add")
    refused(piece, {"GLIBC_TUNABLES": tunables}, "exp, compiled exp, sin.* differ .*--accept-arithmetic")


# ---- Several hosts -------------------------------------------------------------------------------------------------


def run_ip(*words):
    return subprocess.run(["ip", *map(str, words)], capture_output=True).returncode


@pytest.fixture
def hosts():
    """Two more hosts: network namespaces with addresses of their own, linked with this one."""
    if os.geteuid() or not shutil.which("ip") or run_ip("netns", "add", "ludwin1"):
        pytest.skip("network namespaces need root, ip and a kernel that has them")
    made = ["ludwin1"]
    try:
        for k in (1, 2):
            if k == 2:
                assert run_ip("netns", "add", "ludwin2") == 0
                made.append("ludwin2")
            if run_ip("link", "add", f"lud{k}", "type", "veth", "peer", "name", "eth0", "netns", f"ludwin{k}"):
                pytest.skip("there are no virtual links here")
            run_ip("addr", "add", f"10.77.{k}.1/24", "dev", f"lud{k}")
            run_ip("link", "set", f"lud{k}", "up")
            run_ip("-n", f"ludwin{k}", "addr", "add", f"10.77.{k}.2/24", "dev", "eth0")
            run_ip("-n", f"ludwin{k}", "link", "set", "eth0", "up")
            run_ip("-n", f"ludwin{k}", "link", "set", "lo", "up")
            run_ip("-n", f"ludwin{k}", "route", "add", "default", "via", f"10.77.{k}.1")
        yield ["ludwin1", "ludwin2"]
    finally:
        for k, name in enumerate(made, 1):
            run_ip("link", "del", f"lud{k}")
            run_ip("netns", "del", name)


def test_a_link_that_is_cut_for_a_minute_changes_nothing(piece, hosts):
    assert ludwin("cluster", "keys", "keys").returncode == 0
    assert ludwin(*MATCH, "--games", 500, "--workers", 2, "--out", "calm.jsonl").returncode == 0
    where = ("--cluster", f"listen:0.0.0.0:{piece.port}", "--keys", "keys")
    coordinator = piece.add(start(*MATCH, "--games", 500, *where, "--out", "wild.jsonl", log=piece.folder / "c.log"))
    wait_for(piece.folder / "c.log", "listening on tls://")
    for k, host in enumerate(hosts, 1):
        words = ["ip", "netns", "exec", host, sys.executable, "-m", "ludwin", "worker"]
        words += [f"tls://10.77.{k}.1:{piece.port}", "--keys", "keys", "--processes", "1", "--cache", "usual"]
        piece.add(begun(words, piece.folder / f"{host}.log"))
    until = time.monotonic() + 120
    while time.monotonic() < until and not (
        Path("wild.jsonl").exists() and Path("wild.jsonl").read_bytes().count(b"\n") > 30
    ):
        time.sleep(0.2)
    run_ip("link", "set", "lud1", "down")
    time.sleep(60)
    run_ip("link", "set", "lud1", "up")
    assert coordinator.wait(400) == 0, (piece.folder / "c.log").read_text()
    assert Path("calm.jsonl").read_bytes() == Path("wild.jsonl").read_bytes()
