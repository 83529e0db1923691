"""A table in process, with people and devices played by the test, for tests of the rules."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tablectl.cards import cards
from tablectl.events import announcements as say
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement, Configure, Role, Ruling, System
from tablectl.events.codec import Input
from tablectl.events.facts import Fact
from tablectl.events.readings import Reading
from tablectl.games import GAMES, rulebook_text
from tablectl.money import EXACT
from tablectl.rulebook import HouseFile, Rulebook
from tablectl.table import Table
from tablectl.terms import Dealing, Limits, Mode, Sight, Terms, Wagers

SHOES = {Dealing.AUTOMATED: "stack-shoe", Dealing.SHOE: "card-shoe"}


def terms(  # noqa: PLR0913 - each is one field of a table file
    game: str,
    variant: str = "base",
    *,
    positions: int = 6,
    dealing: Dealing = Dealing.AUTOMATED,
    wagers: Wagers = Wagers.AMOUNTS,
    sight: Sight = Sight.EXPOSED,
    house: HouseFile | None = None,
    limits: Mapping[str, Limits] | None = None,
    devices: Iterable[str] = (),
) -> Terms:
    """Return terms for a test; without devices, the shoe that the dealing needs."""
    kinds = tuple(devices) or tuple(kind for kind in (SHOES.get(dealing),) if kind)
    rules = Rulebook.parse(rulebook_text(game)).of(variant)
    return Terms(
        table="test/pit1/t01",
        positions=positions,
        mode=Mode.REHEARSAL,
        game=GAMES[game],
        variant=variant,
        rules=rules.under(house) if house else rules,
        dealing=dealing,
        wagers=wagers,
        cards=dict.fromkeys(("dealer", "community", "players"), sight),
        currency="USD",
        limits=limits or {},
        rounding=EXACT,
        caps={},
        devices={kind: kind for kind in kinds},
        hashes={},
    )


class Bench:
    """A table that is open and has its deck; every input's facts are kept and returned."""

    def __init__(self, plays_by: Terms, *, ready: bool = True) -> None:
        self.terms = plays_by
        self.table = Table(lambda _: plays_by)
        self.inputs: list[Input] = []
        self.facts: list[Fact] = []
        self.number = 0
        self.say(Configure("", "", "", "test"))
        for kind in plays_by.devices:
            self.read(kind, read.DeviceFound("model", "1", "1.0", (kind,)))
        if ready:
            self.say(say.OpenTable(("supervisor", "dealer")))
            self.new_deck("red")

    def new_deck(self, name: str, back: str = "") -> None:
        self.say(say.ReceiveDeck(name, back or name))
        if "shuffler" in self.terms.devices:
            self.read("shuffler", read.ShufflerStarted())
            self.read("shuffler", read.ShufflerFinished(count=self.terms.composition.size))
        else:
            self.say(say.ConfirmShuffle(name))
        self.load()

    def load(self) -> None:
        shoe = next((kind for kind in self.terms.devices if kind.endswith("shoe")), "")
        if shoe:
            self.read(shoe, read.ShoeLoaded(self.terms.composition.size))
        else:
            deck = next(deck.deck for deck in self.table.custody if deck.place == "ready")
            self.say(say.LoadDeck(deck))

    def accept(self, said: Input) -> tuple[Fact, ...]:
        facts = self.table.accept(said)
        self.inputs.append(said)
        self.facts.extend(facts)
        return facts

    def say(self, body: Announcement, by: str = "") -> tuple[Fact, ...]:
        role = Role.SUPERVISOR if isinstance(body, Ruling) else Role.SYSTEM if isinstance(body, System) else Role.DEALER
        return self.accept(Input(body, 0, role, by=by or role))

    def read(self, device: str, body: Reading, boot: str = "b1") -> tuple[Fact, ...]:
        self.number += 1
        return self.accept(Input(body, 0, device, boot, self.number))

    def draw(self, text: str) -> tuple[Fact, ...]:
        """Draw cards one after another from the card shoe."""
        return tuple(fact for card in cards(text) for fact in self.read("card-shoe", read.ShoeCardDrawn(card)))

    def found(self, kind: type[Fact]) -> list[Any]:
        """Return every fact of a kind since the last round was opened."""
        names = [type(fact).__name__ for fact in self.facts]
        start = len(names) - 1 - names[::-1].index("RoundOpened") if "RoundOpened" in names else 0
        last = self.facts[start:]
        return [fact for fact in last if isinstance(fact, kind)]

    def all(self, kind: type[Fact]) -> list[Any]:
        return [fact for fact in self.facts if isinstance(fact, kind)]


def plain(fact: Fact) -> dict[str, Any]:
    return dict(msgspec.to_builtins(fact))
