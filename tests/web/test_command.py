"""`ludwin web` as a person types it wrongly."""

import pytest

from ludwin.cli import main


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["no-such-folder"], "there is no folder 'no-such-folder'"),
        (["--host", "0.0.0.0"], "others could read the token"),
        (["--host", "0.0.0.0", "--insecure"], "--allow-host NAME"),
        (["--tls-cert", "x"], "belong together"),
        (["--memory", "much"], "--memory"),
        (["--jobs", "0"], "0"),
    ],
)
def test_a_wrong_line_is_one_line_and_2(words, told, capsys):
    try:
        code = main(["web", *words])
    except SystemExit as error:
        code = error.code
    assert code == 2
    assert told in capsys.readouterr().err


def test_a_certificate_that_is_none_is_named(tmp_path, capsys):
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).write_text("junk")
    words = ["--host", "0.0.0.0", "--allow-host", "x", "--tls-cert", str(tmp_path / "cert.pem")]
    assert main(["web", *words, "--tls-key", str(tmp_path / "key.pem")]) == 2
    assert "are no certificate and its key" in capsys.readouterr().err


def test_a_token_file_must_be_its_owners_alone(tmp_path, capsys):
    from ludwin.cli.web import _token
    from ludwin.errors import BadParameter

    path = tmp_path / "token"
    assert _token(path, "a" * 32) == "a" * 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert _token(path, "b" * 32) == "a" * 32
    path.chmod(0o644)
    with pytest.raises(BadParameter, match="chmod 600"):
        _token(path, "b" * 32)


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    import sys

    for name in [name for name in sys.modules if name.startswith("ludwin.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["web"]) == 2
    assert "pip install 'ludwin[web]'" in capsys.readouterr().err
