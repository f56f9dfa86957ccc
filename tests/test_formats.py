"""The one reader of our files: what it lets pass, and what it says of everything else."""

import ast
import json
import os
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ludwin
from ludwin.files import write_whole
from ludwin.formats import (
    DEEPEST,
    FORMATS,
    BadFile,
    Either,
    Format,
    List,
    Mismatch,
    Nothing,
    Number,
    Shape,
    Table,
    Text,
    Truth,
    Whole,
    decode,
    examine,
    maybe,
    printable,
    read_bytes,
    read_json,
    read_lines,
    read_text,
    shown,
    write_json,
)

PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_what_json_can_say_is_read_as_it_is(value):
    assert decode(json.dumps(value)) == decode(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "there is nothing in it"),
        (b" \n", "there is nothing in it"),
        (b"\xff\xfe", "this is not text in UTF-8 (byte 0)"),
        (b'{"a": "\xed\xa0\x80"}', "this is not text in UTF-8"),
        (json.dumps({"a": 1}).encode("utf-16"), "this is not text in UTF-8"),
        (b"\xef\xbb\xbf{}", "this is not JSON"),
        (b'{"a": 1', "this is not JSON: expecting"),
        (b'{"a": 1}{}', "this is not JSON: extra data"),
        (b'{"a":\n\nx}', "(line 3, column 1)"),
        (b'"\x00"', "this is not JSON: invalid control character"),
        (b'"\\u0000"', "holds NUL or half a character"),
        (b'{"\\ud800": 1}', "holds NUL or half a character"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' stands twice"),
        (b'[{"x": {"a": 1, "a": 1}}]', "the key 'a' stands twice"),
        (b"NaN", "NaN is no number of JSON"),
        (b"[-Infinity]", "-Infinity is no number of JSON"),
        (b"1e999", "the number 1e999 is too large"),
        (b"9" * 401, "a whole number of 401 digits is too large"),
        (b"[" * 66 + b"]" * 66, "nested more than 64 deep"),
        (b"[" * 200_000, "nested more than 64 deep"),
        (b'{"a":' * 200_000, "nested more than 64 deep"),
    ],
)
def test_what_no_file_of_ours_holds_is_refused(raw, reason):
    with pytest.raises(Mismatch) as caught:
        decode(raw)
    assert reason in str(caught.value) and "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_nesting_is_allowed_as_deep_as_it_says():
    assert decode("[" * DEEPEST + "]" * DEEPEST)


SEATS = Table(
    {"seats": List(Whole(0, 9), least=1, most=2)},
    {"name": Text(8, line=True), "on": Truth(), "end": Text(choices=("won", "lost"))},
)


@pytest.mark.parametrize(
    ("value", "shape", "reason"),
    [
        ([], SEATS, "the file must be an object, got []"),
        ({}, SEATS, "'seats' is missing"),
        ({"seats": 3}, SEATS, "'seats' must be a list of at least 1, got 3"),
        ({"seats": []}, SEATS, "'seats' must be a list of at least 1, got one of 0"),
        ({"seats": [1, 2, 3]}, SEATS, "'seats' must be a list of at least 1, got one of 3"),
        ({"seats": [1, True]}, SEATS, "'seats'[1] must be a whole number from 0 to 9, got True"),
        ({"seats": [1.0]}, SEATS, "'seats'[0] must be a whole number from 0 to 9, got 1.0"),
        ({"seats": [10]}, SEATS, "from 0 to 9, got 10"),
        ({"seats": [1], "name": "a\nb"}, SEATS, "'name' must be a text of one line, got 'a\\nb'"),
        ({"seats": [1], "name": "a\x1b[31m"}, SEATS, "'name' must be a text of one line"),
        ({"seats": [1], "name": "a" * 9}, SEATS, "'name' must have at most 8 characters, got 9"),
        ({"seats": [1], "on": 1}, SEATS, "'on' must be true or false, got 1"),
        ({"seats": [1], "end": "drawn"}, SEATS, "'end' must be one of won, lost, got 'drawn'"),
        ({"a": 1, "b": 2}, Table({"a": Whole()}, closed=True), "'b' is not known here (there are a)"),
        ({"a": {"b": "x"}}, Table({"a": Table({"b": Number()})}), "'a'.b must be a number, got 'x'"),
        ({"x": "y"}, Table(each=Number()), "'x' must be a number, got 'y'"),
        ({"a": {"x\ny": 1}}, Table({"a": Table(each=Text())}), "'a'['x\\ny'] must be a text, got 1"),
        (2**63, Whole(), "must be a whole number, got 9223372036854775808"),
        (10**399, Number(), "must be a number, got 1000"),
        (-0.5, Number(least=0), "must be a number of at least 0, got -0.5"),
        (2, Number(most=1), "must be a number of at most 1, got 2"),
        ("xyz", Text(like="[0-9]+", said="digits"), "must be digits, got 'xyz'"),
        ("x", maybe(Whole()), "must be a whole number or null, got 'x'"),
        ([1, "x"], Either(Nothing(), List(Whole())), "[1] must be a whole number, got 'x'"),
        (0, Nothing(), "must be null, got 0"),
    ],
)
def test_a_mismatch_says_where_what_is_wanted_and_what_was_there(value, shape, reason):
    with pytest.raises(Mismatch) as caught:
        examine(value, shape)
    assert reason in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ({"seats": [0, 9], "name": "ok", "more": [None]}, SEATS),
        (None, maybe(Text())),
        (10**30, Whole(0, 10**40)),
        (3, Number()),
        ([[], []], List(List(), 0, 2)),
        ({"anything": 1}, Shape()),
    ],
)
def test_what_fits_passes(value, shape):
    examine(value, shape)


@given(VALUES)
def test_no_value_breaks_a_message(value):
    assert "\n" not in shown(value) and len(shown(value)) <= 60
    for shape in (
        Nothing(),
        Truth(),
        Text(2, line=True),
        Number(0, 1),
        Whole(0),
        List(Truth()),
        Table({"x": Truth()}),
        Either(Truth(), List(Nothing())),
    ):
        try:
            examine(value, shape)
        except Mismatch as error:
            assert "\n" not in str(error)


# ---- Formats

CAKE = Format(
    "ludwin-cake",
    3,
    Table({"layers": Whole(1)}),
    "cake",
    {1: lambda data: {**data, "layers": 1}, 2: lambda data: {**data, "layers": data["layers"] + 1}},
)


@pytest.mark.parametrize(("version", "layers"), [(1, 2), (2, 6), (3, 5)])
def test_older_versions_are_brought_up_to_date(tmp_path, version, layers):
    path = tmp_path / "cake.json"
    path.write_text(json.dumps({"format": "ludwin-cake", "version": version, "layers": 5}))
    assert read_json(path, CAKE) == {"format": "ludwin-cake", "version": 3, "layers": layers}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "cake.json is no cake: this is not JSON"),
        ("[]", "cake.json is no cake: it does not begin with the format 'ludwin-cake'"),
        ('{"format": ["ludwin-cake"]}', "cake.json is no cake"),
        ('{"format": "ludwin-cake"}', "cake.json: 'version' must be a whole number of at least 1, got None"),
        (
            '{"format": "ludwin-cake", "version": true}',
            "cake.json: 'version' must be a whole number of at least 1, got True",
        ),
        ('{"format": "ludwin-cake", "version": 0}', "got 0"),
        (
            '{"format": "ludwin-cake", "version": 4}',
            "cake.json: it was written by a newer Ludwin (version 4 of ludwin-cake, this one reads up to 3)",
        ),
        ('{"format": "ludwin-cake", "version": 3}', "cake.json: 'layers' is missing"),
        (
            '{"format": "ludwin-cake", "version": 3, "layers": 0}',
            "cake.json: 'layers' must be a whole number of at least 1, got 0",
        ),
    ],
)
def test_what_is_no_such_file_is_one_line(tmp_path, text, reason):
    path = tmp_path / "cake.json"
    path.write_text(text)
    with pytest.raises(BadFile) as caught:
        read_json(path, CAKE)
    assert reason in str(caught.value) and "\n" not in str(caught.value)


def test_only_ordinary_files_are_opened(tmp_path):
    with pytest.raises(BadFile, match="it is a folder"):
        read_bytes(tmp_path)
    with pytest.raises(BadFile, match=r"cannot read .*nothing: No such file"):
        read_text(tmp_path / "nothing")
    with pytest.raises(BadFile, match="no file can have this name"):
        read_bytes(tmp_path / "a\0b")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")  # opening it would wait for ever
        for read in (
            read_bytes,
            read_text,
            lambda path: read_json(path, CAKE),
            lambda path: list(read_lines(path, lambda line, why: BadFile(why))),
        ):
            with pytest.raises(BadFile, match="not an ordinary file"):
                read(tmp_path / "pipe")


def test_long_files_and_lines_are_refused(tmp_path):
    path = tmp_path / "long"
    path.write_text("x" * 50 + "\n")
    with pytest.raises(BadFile, match="is too long: more than 20 bytes"):
        read_bytes(path, 20)
    with pytest.raises(BadFile, match="the line is too long: more than 20 bytes"):
        list(read_lines(path, lambda line, why: BadFile(f"{line}: {why}"), 20))


def test_a_torn_last_line_is_left_out(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\nthr")
    assert list(read_lines(path, lambda line, why: BadFile(why))) == [(1, "one\n"), (2, "two\n")]


def test_strangers_texts_are_made_printable():
    assert printable("a\0b\ud83dc") == "a?b?c"


# ---- The table of formats

ELSEWHERE = {"ludwin-derivation", "ludwin-image"}  # read by the proof checker, and by the loader of compiled code
WRITTEN_ONLY = {"ludwin-tree", "ludwin-tuned"}  # what `ludwin tree --json` prints, and what `ludwin tune` found


def home(name):
    module, _, attribute = FORMATS[name].partition(":")
    return getattr(import_module(module), attribute)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_declared_with_a_way_from_each_older_version(name):
    one = home(name)
    assert isinstance(one, Format) and one.name == name and one.what
    assert set(one.migrations) == set(range(1, one.version))


def test_every_format_that_the_package_names_is_in_the_table():
    named = set()
    for path in Path(ludwin.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Format" and node.args:
                named |= {part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)}
            if isinstance(node, ast.Dict):
                named |= {
                    value.value
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant) and key.value == "format" and isinstance(value, ast.Constant)
                }
    assert named <= set(FORMATS) | ELSEWHERE | WRITTEN_ONLY


def test_a_file_is_written_as_it_will_be_read(tmp_path):
    path = tmp_path / "cake.json"
    write_json(path, CAKE, {"layers": 3}, indent=1)
    assert read_json(path, CAKE)["layers"] == 3
    for body in ({"layers": 0}, {}, {"layers": 1, "mass": float("nan")}):
        with pytest.raises(Mismatch):
            write_json(path, CAKE, body)
    assert read_json(path, CAKE)["layers"] == 3  # what could not be read was not written


def test_a_file_of_another_format_is_called_by_its_name(tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"format": "ludwin-run", "version": 1}')
    with pytest.raises(BadFile, match="is no cake: it does not begin with the format 'ludwin-cake' but with 'ludwin-r"):
        read_json(path, CAKE)


def test_a_file_that_cannot_be_written_is_called_by_its_own_name(tmp_path):
    place = tmp_path / "nowhere" / "net.json"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(place, "")
    assert caught.value.filename == str(place)
