"""Nobody misses anything: what is told between a look and a watch, after a lost line, and after a new start."""

import asyncio
import json

from ludwin.web.hub import KEPT, MOST_WAITING, Hub, Onlooker


def heard(onlooker: Onlooker) -> list[tuple[str, int]]:
    """What waits for somebody, as kind and number."""

    async def take():
        found = []
        while onlooker.waiting or onlooker.skipped:
            message = json.loads(await onlooker.next())
            found.append((message["kind"], message["seq"]))
        return found

    return asyncio.run(take())


def test_what_is_told_between_a_look_and_a_watch_is_given_later():
    hub, late = Hub(), Onlooker()
    hub.tell("table/a", "view", ply=1)
    seen = hub.seq("table/a")  # the page has asked for the table here
    hub.tell("table/a", "view", ply=2)  # an agent answers before the line is open
    hub.watch(late, "table/a", seen)
    hub.tell("table/a", "view", ply=3)
    assert heard(late) == [("view", 2), ("view", 3)]


def test_a_topic_of_which_nothing_was_told_begins_at_nought():
    hub, one = Hub(), Onlooker()
    assert hub.seq("table/b") == 0
    assert "table/b" not in hub.topics  # looking makes no topic
    hub.tell("table/b", "view")
    hub.watch(one, "table/b", 0)
    assert heard(one) == [("view", 1)]


def test_whoever_was_away_too_long_or_at_an_earlier_server_is_told_to_look_again():
    hub, away, old = Hub(), Onlooker(), Onlooker()
    for _ in range(KEPT + 10):
        hub.tell("event/c", "standing")
    hub.watch(away, "event/c", 3)
    assert heard(away)[0] == ("skipped", KEPT + 10 - MOST_WAITING)
    hub.watch(old, "event/c", 9999)
    assert heard(old) == [("skipped", KEPT + 10)]
