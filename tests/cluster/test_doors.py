"""What the commands of a cluster refuse, before anything is begun; keys; how chunks grow."""

import logging
import os
import socket
import ssl
import stat
import struct
import time

import pytest
from clusters import free_port, ludwin

from ludwin.cli import main
from ludwin.cluster.arithmetic import about, arithmetic, class_of, differences
from ludwin.cluster.keeper import CONNECT_SECONDS
from ludwin.cluster.keys import AUTHORITY, CERTIFICATE, KEY, _by_openssl, make_keys
from ludwin.cluster.opening import Wish, slurm_file, slurm_script
from ludwin.errors import BadParameter, LudwinError
from ludwin.spread import AtHome, Chunks, Errand, find, in_order

MATCH = ["match", "nim", "greedy", "random", "--games", "2"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--cluster", "local:0"], "a number of processes from 1"),
        (["--cluster", ""], "takes listen, local:N"),
        (["--cluster", "locl:2"], "did you mean 'local'"),
        (["--cluster", "local:2", "--workers", "2"], "give one of them"),
        (["--keys", "x"], "--keys belongs to --cluster"),
        (["--insecure"], "--insecure belongs to --cluster"),
        (["--cluster", "listen"], "make keys (`ludwin cluster keys DIR`)"),
        (["--cluster", "listen:0.0.0.0"], "would let anybody"),
        (["--cluster", "listen:127.0.0.1:99999"], "a port is a number"),
        (["--cluster", "tcp://192.0.2.1:8786"], "plain TCP beyond this machine"),
        (["--cluster", "tls://127.0.0.1:8786"], "wants keys"),
        (["--cluster", "tls://127.0.0.1:8786", "--keys", "nowhere"], "holds no keys (ca.pem is missing)"),
        (["--cluster", "slurm:"], "takes a file"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused_in_one_line(more, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*MATCH, *more]) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["worker", "head:8786"], "an address is tls://HOST:PORT"),
        (["worker", "tcp://192.0.2.1:8786"], "plain TCP beyond this machine"),
        (["worker", "tls://192.0.2.1:8786"], "wants keys"),
        (["worker", "tcp://127.0.0.1:1", "--memory", "much"], "a number such as 2G"),
        (["worker", "tcp://127.0.0.1:1", "--for", "ever"], "a number such as 8h"),
        (["cluster", "keys"], "wants a new folder"),
        (["solve", "parking", "bfs", "--cluster", "local:1"], "--cluster is for many positions"),
    ],
)
def test_a_worker_that_cannot_be_is_refused_in_one_line(line, told, capsys):
    assert main(line) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("by", ["cryptography", "openssl"])
def test_keys_are_their_owners_alone_and_one_authority_has_signed_them(by, tmp_path, monkeypatch, capsys):
    if by == "openssl":
        import shutil

        from ludwin.cluster import keys

        if not shutil.which("openssl"):
            pytest.skip("there is no openssl here")
        monkeypatch.setattr(keys, "_by_cryptography", _by_openssl)
    folder = tmp_path / "keys"
    assert main(["cluster", "keys", str(folder)]) == 0
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE((folder / name).stat().st_mode) == 0o600 for name in (AUTHORITY, CERTIFICATE, KEY))
    context = ssl.create_default_context(cafile=folder / AUTHORITY)
    context.load_cert_chain(folder / CERTIFICATE, folder / KEY)
    assert main(["cluster", "keys", str(folder)]) == 2
    assert "holds something already" in capsys.readouterr().err


def test_a_key_that_others_can_read_is_refused(tmp_path, capsys):
    folder = make_keys(tmp_path / "keys")
    os.chmod(folder / KEY, 0o644)
    assert main([*MATCH, "--cluster", "tls://127.0.0.1:1", "--keys", str(folder)]) == 2
    assert "can be read by others; chmod 600" in capsys.readouterr().err


# ---- Who fits ------------------------------------------------------------------------------------------------------


def test_this_machine_fits_itself_and_computes_the_same_in_both_ways(capsys):
    assert differences(about(), about()) == ""
    told = arithmetic()
    assert all(told[name] == told[f"compiled {name}"] for name in ("log", "exp", "sin", "cos", "sqrt"))
    assert main(["cluster", "check"]) == 0
    assert f"arithmetic {about()['arithmetic']}" in capsys.readouterr().out


def test_another_version_is_told_with_the_line_that_mends_it():
    theirs = {**about(), "host": "node17", "versions": {**about()["versions"], "llvmlite": "0.1"}}
    told = differences(about(), theirs)
    wanted = about()["versions"]["llvmlite"]
    assert told == f"node17: llvmlite 0.1 instead of {wanted}; on it: python -m pip install 'llvmlite=={wanted}'"
    assert class_of(about()) != class_of(theirs)


def test_other_arithmetic_is_told_by_function_and_may_be_accepted():
    hashes = {**about()["hashes"], "exp": "0", "compiled exp": "1"}
    theirs = {**about(), "host": "old", "arithmetic": "0" * 16, "hashes": hashes, "fma": False}
    assert differences(about(), theirs).startswith("old: exp, compiled exp differ (")
    assert "no FMA" in differences(about(), theirs) and "--accept-arithmetic" in differences(about(), theirs)
    assert differences(about(), theirs, accept=True) == ""
    assert class_of(about(), accept=True) == class_of(theirs, accept=True) != class_of(about())


# ---- Errands -------------------------------------------------------------------------------------------------------


def test_only_what_is_declared_as_an_errand_is_done():
    assert isinstance(find("ludwin.cluster.errands:SUM"), Errand)
    for name in ("os:system", "ludwin.files:write_whole", "ludwin.cluster.errands:time", "ludwin.nothing_there:X"):
        with pytest.raises((LudwinError, ImportError)):
            find(name)


def test_an_errand_gives_the_same_in_any_number_of_processes():
    errand = find("ludwin.cluster.errands:SUM")
    one, three = (list(in_order(AtHome(count), errand, {}, range(20))) for count in (1, 3))
    assert one == three


def test_chunks_aim_at_a_second_and_at_more_on_many_cores():
    chunks = Chunks()
    chunks.note(1, 0.001)
    sizes = [chunks.size(4) for _ in range(6)]
    assert sizes == [8, 64, 512, 1000, 1000, 1000]
    assert chunks.size(1000) == 5000 and chunks.size(100_000) == 30_000
    assert chunks.size(4, left=100) == 7


# ---- SLURM ---------------------------------------------------------------------------------------------------------


def test_a_job_asks_for_what_the_file_says(tmp_path):
    path = tmp_path / "slurm.toml"
    path.write_text('jobs = 3\ncores = 16\npartition = "short"\ntime = "02:00:00"\nbefore = ["module load python"]\n')
    keys = make_keys(tmp_path / "keys")
    script = slurm_script("tls://head:8786", Wish("slurm:x", keys), slurm_file(str(path)))
    lines = script.splitlines()
    assert {"#SBATCH --array=1-3", "#SBATCH --cpus-per-task=16", "#SBATCH --partition=short"} <= set(lines)
    assert lines[-2] == "module load python"
    assert lines[-1].endswith(f"-m ludwin worker tls://head:8786 --processes 16 --keys '{keys}'")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cores = 0", "cores 1 to 4096"),
        ("core = 2", "did you mean 'cores'"),
        ("cores = '2'", "must be int"),
        ("[", "slurm.toml: "),
    ],
)
def test_a_file_of_jobs_that_makes_no_sense_is_refused(text, told, tmp_path):
    (tmp_path / "slurm.toml").write_text(text)
    with pytest.raises(BadParameter, match=told):
        slurm_file(str(tmp_path / "slurm.toml"))


# ---- Who can be reached ---------------------------------------------------------------------------------------------


def test_workers_of_plain_tcp_can_be_reached_from_this_machine_alone(cluster):
    """Whoever reaches a worker's port can run anything there, so it must not be open to the network."""
    cluster.client.wait_for_workers(2, timeout=60)
    workers = cluster.client.scheduler_info(n_workers=-1)["workers"]
    ports = [int(address.rpartition(":")[2]) for address in workers]
    ports += [service for about in workers.values() for service in about["services"].values()]
    assert len(ports) >= 2
    for port in ports:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        with pytest.raises(OSError):  # another address of this machine
            socket.create_connection(("127.0.0.2", port), timeout=5)


@pytest.mark.thorough
def test_a_worker_whom_nobody_answers_ends_at_once():
    began = time.monotonic()
    line = ["worker", f"tcp://127.0.0.1:{free_port()}", "--processes", "1", "--for", "1s", "--cache", "usual"]
    assert ludwin(*line).returncode == 0
    assert time.monotonic() - began < CONNECT_SECONDS


def test_what_strangers_send_to_the_port_is_not_told_at_length(cluster, monkeypatch):
    heard = []
    monkeypatch.setattr(logging.getLogger("tornado.application"), "handlers", [listener := logging.Handler()])
    monkeypatch.setattr(listener, "emit", lambda record: heard.append(record.getMessage()))
    host, _, port = cluster.client.scheduler.address.removeprefix("tcp://").rpartition(":")
    for sent in (b"GET / HTTP/1.1\r\n\r\n", struct.pack("<Q", 2**62), struct.pack("<QQ", 1, 2**40) + b"x" * 100):
        with socket.create_connection((host, int(port)), timeout=5) as link:
            link.sendall(sent)
            link.recv(1)
    assert cluster.client.submit(int, "7", pure=False).result(timeout=30) == 7
    assert heard == []
