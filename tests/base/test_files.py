"""JSON is read strictly, and a file that cannot be written leaves the one that was there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fruit_envs import FruitEnvsError, InvalidFile
from fruit_envs.base.files import DEPTH, check_form, naming, parse_json, read_json, replace_file, replacing, rewriting

STRANGE = {
    "no JSON": b"{",
    "nothing": b"",
    "two values": b"1 2",
    "a name twice": b'{"a": 1, "b": {"c": 1, "c": 2}}',
    "no number": b"[NaN]",
    "an infinite number": b"[1e999]",
    "a number of too many digits": b"1" * 5000,
    "no UTF-8": b'"\xff"',
    "a mark of byte order": b"\xef\xbb\xbf{}",
    "one level too many": b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1),
    "lists, 100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "objects, 100,000 deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "lists, 100,000 deep, without an end": b"[" * 100_000,
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE.keys())
def test_strange_json_is_refused_and_its_file_named(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "strange.json"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)
    with pytest.raises(InvalidFile, match=r"expected a thing in .*strange\.json, got .") as caught:
        read_json(path, "a thing")
    assert isinstance(caught.value, FruitEnvsError)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", ['{"a": [1, -2.5e3, null, true, "ü"], "b": {}}', "5", "[" * DEPTH + "]" * DEPTH])
def test_what_is_json_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "good.json").write_text(text, "utf-8")
    assert read_json(tmp_path / "good.json", "a thing") == parse_json(text) == json.loads(text)


def test_a_file_that_is_missing_too_long_or_a_folder(tmp_path: Path) -> None:
    (tmp_path / "long.json").write_text("[1, 2, 3]")
    assert read_json(tmp_path / "long.json", "a thing", max_bytes=9) == [1, 2, 3]
    with pytest.raises(InvalidFile, match=r"long\.json, got more than 8 bytes"):
        read_json(tmp_path / "long.json", "a thing", max_bytes=8)
    for path in (tmp_path / "none.json", tmp_path, Path("\0")):
        with pytest.raises(InvalidFile, match="expected a thing in"):
            read_json(path, "a thing")


FORM = {"name": str, "rows": [[float]], "facts": {"seed": int}}
GOOD = {"name": "x", "rows": [[1, 2.5], []], "facts": {"seed": 1, "other": None}}


def test_forms() -> None:
    check_form(GOOD, FORM)
    for wrong, text in (
        ([], r"\[\] for it"),
        (GOOD | {"name": 5}, "5 for name"),
        (GOOD | {"rows": [[1], ["2"]]}, r"'2' for rows\[1\]\[0\]"),
        (GOOD | {"rows": [[True]]}, "True for rows"),
        (GOOD | {"facts": {}}, "nothing for 'seed' in facts"),
        (GOOD | {"facts": {"seed": 1.0}}, r"1\.0 for seed"),
    ):
        with pytest.raises(ValueError, match=text):
            check_form(wrong, FORM)


# ---- writing -------------------------------------------------------------------------------------------------------


def full_disk(part: Path) -> None:
    part.write_bytes(b"half")
    raise OSError(28, "No space left on device")


def interrupted(part: Path) -> None:
    part.write_bytes(b"half")
    raise KeyboardInterrupt


@pytest.mark.parametrize(("write", "error"), [(full_disk, OSError), (interrupted, KeyboardInterrupt)])
def test_a_write_that_fails_leaves_the_old_file_alone(
    tmp_path: Path, write: Callable[[Path], None], error: type[BaseException]
) -> None:
    path = tmp_path / "kept.bin"
    replace_file(path, b"old")
    with pytest.raises(error) as caught, replacing(path) as part:
        write(part)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["kept.bin"]
    if error is OSError:
        assert str(path) in str(caught.value)


def test_errors_of_the_system_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing.kept\.bin'$"):
        replace_file(tmp_path / "missing" / "kept.bin", "text")
    with pytest.raises(OSError, match=r"no words: .*file'") as caught, naming(tmp_path / "file"):
        raise OSError("no words")
    assert caught.value.filename == str(tmp_path / "file")


def test_the_disk_is_asked_through_a_file_open_for_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses any other."""
    fcntl = pytest.importorskip("fcntl")
    asked: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda number: asked.append(fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE))
    replace_file(tmp_path / "file", "ü")
    assert asked == [os.O_RDWR]
    assert (tmp_path / "file").read_text("utf-8") == "ü"


def test_pieces_lie_there_when_all_are_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    replace_file(path, "old")
    with pytest.raises(ValueError, match="surrogates"), rewriting(path) as file:
        file.write("half\ud800")
    assert path.read_text() == "old"
    with rewriting(path) as file:
        file.write("ü")
        assert path.read_text() == "old"
    assert path.read_text("utf-8") == "ü"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with names")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with rewriting(pipe) as file:
            file.write("through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
