"""What the server keeps of tables."""

import asyncio
import json
import time

from ludwin.web import tables as room
from ludwin.web.tables import Tables, WebTable


def test_the_newest_moves_are_in_the_file_however_slow_an_older_write_was(tmp_path, monkeypatch):
    write, slow = room._write, [0.2, 0.0, 0.0]

    def lazy(file, kept):
        time.sleep(slow.pop(0) if slow else 0.0)
        write(file, kept)

    monkeypatch.setattr(room, "_write", lazy)

    async def play():
        tables = Tables(None, tmp_path, 0, lambda table, message: None)
        table = WebTable("t", {})
        table.file = tmp_path / "t.json"
        for ply in range(3):
            table.kept = {"codes": list(range(ply))}
            tables.keep(table)
            await asyncio.sleep(0.01)
        await asyncio.gather(*tables.writing)

    asyncio.run(play())
    assert json.loads((tmp_path / "t.json").read_text()) == {"codes": [0, 1]}
