"""What a search for programs has done so far, in numbers.

Why it is here.  Closures and completions of sketches count the same things and tell of them in the same words.
"""

from dataclasses import dataclass, field

from ludwin.progress import Progress


@dataclass
class Work:
    """What a closure did, in the words of a search."""

    states: int = 0  # predicates closed
    generated: int = 0  # windows, cuts and rests tried
    duplicates: int = 0  # contexts met again
    depth: int = 0  # longest chain of contexts from the entry
    news: list[str] = field(default_factory=list)

    def tell(self, progress: Progress) -> None:
        """Tell how far it is; nobody knows how far it goes."""
        progress.done(self.states, f"{self.generated} generated, depth {self.depth}")
