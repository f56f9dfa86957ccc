"""What requests say: one shape for each body; keys that are not known are errors."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

API = "/api/v1"  # where all routes begin
Name = Annotated[str, Field(max_length=2000)]
Ply = Annotated[int, Field(ge=0, le=10**6)]
Code = Annotated[int, Field(ge=-(2**62), le=2**62)]


class Body(BaseModel):
    """Any body: strict, and with nothing in it that is not known."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TrustBody(Body):
    """A person has seen the text of a game file."""

    game: Name
    fingerprint: Name


class TableBody(Body):
    """A table to open."""

    game: Name
    position: Annotated[str, Field(max_length=20000)] | None = None
    moves: Annotated[list[Code | Name], Field(max_length=20000)] | None = None
    seats: Annotated[list[Name], Field(max_length=64)] | None = None
    seed: Annotated[int, Field(ge=-(2**62), le=2**62)] | None = None
    clock: Annotated[str, Field(max_length=40)] | None = None
    nature: Annotated[str, Field(pattern="^(drawn|hand)$")] | None = None


class MoveBody(Body):
    """A move, by its code or by its text, at the ply that the player has seen."""

    ply: Ply
    code: Code | None = None
    move: Annotated[str, Field(max_length=400)] | None = None
    seat: Annotated[int, Field(ge=0, le=64)] | None = None


class UndoBody(Body):
    """Where to go back to; the last move of a person's if nothing is said."""

    to: Ply | None = None


class SeatsBody(Body):
    """Who sits where."""

    seats: Annotated[list[Name], Field(max_length=64)]


class ResignBody(Body):
    """Who gives up; the mover if nobody is named."""

    player: Annotated[int, Field(ge=0, le=64)] | None = None


class InviteBody(Body):
    """The seat that an invitation is for."""

    seat: Annotated[int, Field(ge=0, le=64)]


class LoadBody(Body):
    """A kept game of a folder, by its id."""

    file: Name


class JobBody(Body):
    """Work to be done: at a table, or a command by its options' names."""

    kind: Name
    table: Name | None = None
    agent: Name | None = None
    ply: Ply | None = None
    seat: Annotated[int, Field(ge=0, le=64)] | None = None
    lines: Annotated[int, Field(ge=1, le=8)] | None = None
    seconds: Annotated[float, Field(gt=0, le=3600, strict=False)] | None = None
    mistake: Annotated[float, Field(gt=0, le=1, strict=False)] | None = None
    path: Annotated[list[int], Field(max_length=64)] | None = None
    game: Name | None = None
    agents: Annotated[list[Name], Field(max_length=32)] | None = None
    games: Annotated[int, Field(ge=2, le=1_000_000)] | None = None
    seed: Annotated[int, Field(ge=-(2**62), le=2**62)] | None = None
    sprt: Annotated[str, Field(max_length=100, pattern=r"^[-+0-9.,a-z=:]*$")] | None = None
    name: Annotated[str, Field(max_length=200, pattern=r"^[A-Za-z0-9][-A-Za-z0-9_:=,.]*$")] | None = None
    preset: Annotated[str, Field(pattern="^(quick|standard|paper)$")] | None = None
    set: Annotated[dict[str, str | int | float], Field(max_length=40)] | None = None
    language: Annotated[str, Field(max_length=200_000)] | None = None
    run: Name | None = None


class LanguageBody(Body):
    """A language to look at, for a game."""

    toml: Annotated[str, Field(max_length=200_000)]
    game: Name | None = None


class FileBody(Body):
    """The new text of a file, and the hash of the one that it replaces."""

    text: Annotated[str, Field(max_length=200_000)]
    hash: Annotated[str, Field(max_length=64)]


class NewFileBody(Body):
    """A new file in a folder."""

    folder: Name
    name: Annotated[str, Field(max_length=100)]
    text: Annotated[str, Field(max_length=200_000)]


Answer = dict[str, Any]
