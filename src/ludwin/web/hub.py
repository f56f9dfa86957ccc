"""Who watches what: topics with numbered messages, and onlookers who may be slow.

Why it is here.  A message is numbered within its topic and the last ones are kept, so that a connection that was lost
goes on where it stopped.  A slow onlooker is told that something was skipped rather than given an ever longer queue.
"""

import asyncio
import json
from collections import deque
from typing import Any, NamedTuple

KEPT = 256  # messages of a topic that a late onlooker may still get
MOST_WAITING = 64  # messages that wait for one onlooker
MOST_TOPICS = 2000


class Told(NamedTuple):
    """A message of a topic, written once for all who hear it."""

    topic: str
    seq: int
    text: str


class Topic:
    """One subject, its last messages, and who watches."""

    def __init__(self, name: str):
        self.name = name
        self.seq = 0
        self.kept: deque[Told] = deque(maxlen=KEPT)
        self.onlookers: set[Onlooker] = set()


class Onlooker:
    """One connection: what waits to be sent."""

    def __init__(self) -> None:
        self.waiting: deque[Told] = deque()
        self.skipped: dict[str, int] = {}
        self.wake = asyncio.Event()

    def put(self, message: Told) -> None:
        """Let a message wait; if too many do, the oldest of them is skipped and said to be."""
        if len(self.waiting) >= MOST_WAITING:
            lost = self.waiting.popleft()
            self.skipped[lost.topic] = lost.seq
        self.waiting.append(message)
        self.wake.set()

    def skip(self, topic: str, seq: int) -> None:
        """Say that messages of a topic up to a number were skipped."""
        self.skipped[topic] = seq
        self.wake.set()

    async def next(self) -> str:
        """Return what is to be sent now."""
        while True:
            if self.skipped:
                topic, seq = self.skipped.popitem()
                return json.dumps({"topic": topic, "seq": seq, "kind": "skipped", "to": seq})
            if self.waiting:
                return self.waiting.popleft().text
            self.wake.clear()
            await self.wake.wait()


class Hub:
    """All topics."""

    def __init__(self) -> None:
        self.topics: dict[str, Topic] = {}

    def topic(self, name: str) -> Topic:
        """Return a topic, which is made if there is none; those that nobody watches are forgotten at last."""
        if name not in self.topics:
            if len(self.topics) >= MOST_TOPICS:
                idle = [one for one in self.topics.values() if not one.onlookers]
                for one in idle[: MOST_TOPICS // 4]:
                    del self.topics[one.name]
            self.topics[name] = Topic(name)
        return self.topics[name]

    def tell(self, name: str, kind: str, **facts: Any) -> None:
        """Tell everybody who watches a topic."""
        topic = self.topic(name)
        topic.seq += 1
        text = json.dumps({"topic": name, "seq": topic.seq, "kind": kind, **facts}, ensure_ascii=False)
        message = Told(name, topic.seq, text)
        topic.kept.append(message)
        for onlooker in topic.onlookers:
            onlooker.put(message)

    def seq(self, name: str) -> int:
        """Return the number of a topic's last message: whoever looks now and watches since then misses nothing."""
        return self.topics[name].seq if name in self.topics else 0

    def watch(self, onlooker: Onlooker, name: str, since: int | None) -> None:
        """Let somebody watch a topic, and give them what they have missed since a number.

        Where some of it is not kept any more, or the number is of an earlier server, they are told so: `skipped`.
        """
        topic = self.topic(name)
        topic.onlookers.add(onlooker)
        if since is None:
            return
        if since > topic.seq or since < topic.seq - len(topic.kept):
            onlooker.skip(name, topic.seq)
        for message in topic.kept:
            if message.seq > since:
                onlooker.put(message)

    def unwatch(self, onlooker: Onlooker, name: str) -> None:
        """Let somebody look away."""
        if name in self.topics:
            self.topics[name].onlookers.discard(onlooker)

    def leave(self, onlooker: Onlooker) -> None:
        """Somebody has gone."""
        for topic in self.topics.values():
            topic.onlookers.discard(onlooker)

    def watched(self, begin: str) -> list[str]:
        """Return the topics with this beginning that somebody watches."""
        return [name for name, topic in self.topics.items() if name.startswith(begin) and topic.onlookers]
