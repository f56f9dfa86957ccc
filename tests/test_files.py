"""Spare folders: those of processes that were killed are cleared away, those of living ones are left alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ludwin.files import IN_USE, SpareFolder, sweep

pytest.importorskip("fcntl", reason="this system keeps no locks of that kind, and nothing is swept")

OWNER = """
import sys, time
from ludwin.files import SpareFolder
mine = SpareFolder("ludwin-spare-")
print(mine.path, flush=True)
time.sleep(60)
"""


@pytest.fixture
def among(tmp_path, monkeypatch):
    """Let the system's temporary folder be another one."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_a_folder_outlives_its_killed_process_until_the_next_one_begins(among):
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    left = Path(owner.stdout.readline().strip())
    (left / "more").mkdir()
    with SpareFolder("ludwin-spare-"):
        assert left.is_dir()  # it lives
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert left.is_dir()
    with SpareFolder("ludwin-other-"):
        assert left.is_dir()  # others' folders are others' business
    with SpareFolder("ludwin-spare-") as mine:
        assert not left.exists() and mine.path.is_dir()
    assert list(among.iterdir()) == []


def test_nothing_is_swept_that_is_not_surely_ours(among, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / IN_USE).touch()
    (among / "ludwin-spare-link").symlink_to(elsewhere)
    (among / "ludwin-spare-file").touch()
    (among / "ludwin-spare-bare").mkdir()  # just made, and not locked yet
    (among / "ludwin-spare-pipe").mkdir()
    os.mkfifo(among / "ludwin-spare-pipe" / IN_USE)
    (among / "ludwin-spare-far").mkdir()
    (among / "ludwin-spare-far" / IN_USE).symlink_to(elsewhere / IN_USE)
    sweep(among, "ludwin-spare-")
    assert all((among / f"ludwin-spare-{word}").exists() for word in ("link", "file", "bare", "far"))
    assert (elsewhere / IN_USE).exists()
