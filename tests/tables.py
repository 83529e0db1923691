"""A table in process, with people and devices played by the test, for tests of the rules."""

from collections import deque
from collections.abc import Coroutine, Iterable, Mapping
from random import Random
from typing import Any

import msgspec

from tablectl.cards import UNSEEN, Card, cards
from tablectl.custody import Custody, player_at
from tablectl.dice import Roll
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement, Configure, Role
from tablectl.events.codec import Input
from tablectl.events.facts import Fact, Place
from tablectl.events.readings import Reading
from tablectl.games import GAMES, rulebook_text
from tablectl.ledger import Ledger
from tablectl.money import EXACT
from tablectl.rulebook import HouseFile, Rulebook, Standing
from tablectl.table import Table
from tablectl.table.dealing import is_by_word
from tablectl.table.procedure import Procedure
from tablectl.table.round import Round
from tablectl.terms import Dealing, Limits, Mode, Sight, Terms, Wagers

BONUS = HouseFile(
    game="pai-gow-poker",
    name="Test House",
    standing=Standing.DEMONSTRATION,
    offers=("three-card bonus", "seven-card bonus"),
    tables={
        "three-card bonus": {"natural straight flush": "40 to 1", "three of a kind": "30 to 1", "pair": "1 to 1"},
        "seven-card bonus": {"five aces": "400 to 1", "full house": "5 to 1", "straight": "2 to 1"},
    },
)
"""A house that offers both bonus wagers of 13:69F-11.17, with invented odds."""
IMPERIAL = HouseFile(game="pai-gow-poker", name="Test House", standing=Standing.DEMONSTRATION, offers=("imperial",))
BANKED = msgspec.structs.replace(
    IMPERIAL,
    offers=("imperial", "bonus"),
    tables={"bonus": {"five aces": "400 to 1", "straight flush": "50 to 1", "full house": "5 to 1", "flush": "4 to 1"}},
    options={
        "bank": True,
        "co-bank": True,
        "two areas": True,
        "envy bonus": [{"hand": "five aces", "amount": "250.00"}, {"hand": "straight flush", "amount": "50.00"}],
    },
)
"""A house where players bank, with the bonus wager of 11.15; odds and envy amounts are invented."""
SURRENDER = msgspec.structs.replace(IMPERIAL, options={"surrender": True})

BURNED = HouseFile(
    "red-dog", "Test House", Standing.DEMONSTRATION, options={"burn": True, "several positions": True, "decks": 1}
)
"""A house that burns cards and lets a player have several positions, with a shoe that soon runs out."""

SPANISH = HouseFile(
    game="spanish-21",
    name="Test House",
    standing=Standing.DEMONSTRATION,
    offers=("match the dealer",),
    tables={"match the dealer": {"one suited match": "9 to 1", "one non-suited match": "4 to 1"}},
)
"""A house that offers match the dealer, with invented odds."""
UNLOOKED = msgspec.structs.replace(SPANISH, options={"peek": False, "split aces": "one card", "rescue": False})
ATTACK = HouseFile(
    game="triple-attack-blackjack",
    name="Test House",
    standing=Standing.DEMONSTRATION,
    offers=("suited royal", "second bonus"),
    tables={"suited royal": {"king queen suited": "25 to 1"}, "second bonus": {"three wise hands": "7 to 1"}},
    options={"surrender": True},
)
"""A house that offers both bonus wagers of 13:69F-36.6, with invented hands and odds."""
BARRED = msgspec.structs.replace(ATTACK, offers=(), tables={}, options={"mid-shoe entry": "barred"})

STUD = HouseFile("mississippi-stud", "Test House", Standing.DEMONSTRATION, offers=("three-card bonus",))
MINI_TEX = HouseFile(
    game="mini-tex-3-card-holdem",
    name="Test House",
    standing=Standing.DEMONSTRATION,
    offers=("pocket poker",),
    tables={"pocket poker": {"pair of aces": "25 to 1", "pair": "5 to 1"}},
)
"""A house that offers pocket poker with invented odds."""
FOUR_CARD = HouseFile(
    game="four-card-poker",
    name="Test House",
    standing=Standing.DEMONSTRATION,
    options={"settlement": "player by player", "extra card": "hand", "aces up outlives a void": True},
)

SUPREME = HouseFile(
    game="supreme-pai-gow",
    name="Test House",
    standing=Standing.DEMONSTRATION,
    offers=("bonus",),
    tables={"supreme pai gow": {"win": "19 to 20"}, "bonus": {}},
    options={
        "areas without a wager": "dealt",
        "below pairs": ["high card"],
        "joker": "above the aces",
        "copies": "dealer",
        "dealer's setting": "highest high hand",
        "low above high": "foul",
    },
)
"""A house that says of supreme pai gow what was not found, all of it invented."""

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
        self.others: dict[str, Terms] = {}
        self.table = Table(self.build)
        self.inputs: list[Input] = []
        self.answers: list[tuple[Fact, ...]] = []
        self.facts: list[Fact] = []
        self.number = 0
        self.say(Configure("", "", "", "test"))
        for device in dict.fromkeys(plays_by.devices.values()):
            self.read(device, read.DeviceFound("model", "1", "1.0", (device,)))
        if ready:
            self.say(say.OpenTable(("supervisor", "dealer")))
            self.new_deck("red")

    def build(self, said: Configure) -> Terms:
        """Return the terms by the name of their table file; the bench's own for any that is unknown."""
        if said.table_file == "wrong":
            raise ConfigError("this table file cannot be played by")
        return self.others.get(said.table_file, self.terms)

    def new_deck(self, name: str, back: str = "") -> None:
        self.say(say.ReceiveDeck(name, back or name))
        if "shuffler" in self.terms.devices:
            self.read("shuffler", read.ShufflerStarted())
            self.read("shuffler", read.ShufflerFinished(count=self.terms.composition.size))
        else:
            self.say(say.ConfirmShuffle(name))
        self.load()

    def load(self) -> tuple[Fact, ...]:
        shoe = next((kind for kind in self.terms.devices if kind.endswith("shoe")), "")
        if shoe:
            return self.read(shoe, read.ShoeLoaded(self.terms.composition.size))
        deck = next(deck.deck for deck in self.table.custody if deck.place == "ready")
        return self.say(say.LoadDeck(deck))

    def accept(self, said: Input) -> tuple[Fact, ...]:
        facts = self.table.accept(said)
        self.inputs.append(said)
        self.answers.append(facts)
        self.facts.extend(facts)
        return facts

    def say(self, body: Announcement, by: str = "") -> tuple[Fact, ...]:
        role = role_of(body)
        return self.accept(Input(body, 0, role, by=by or role))

    def read(self, device: str, body: Reading, boot: str = "b1") -> tuple[Fact, ...]:
        """Let a device say something. device: its id, or what it is."""
        self.number += 1
        return self.accept(Input(body, 0, self.terms.devices.get(device, device), boot, self.number))

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


def role_of(body: Announcement) -> Role:
    """Return who says this, of all who may."""
    return next(
        role for role in (Role.DEALER, Role.SUPERVISOR, Role.SERVICE, Role.AUDITOR, Role.SYSTEM) if role in body.roles
    )


def plain(fact: Fact) -> dict[str, Any]:
    return dict(msgspec.to_builtins(fact))


BACK = ("table", "round", "terms", "_build", "_facts", "_pack")
"""Fields that lead back, never change, or are only the answer to the last input."""


def dump(value: Any) -> Any:
    """Return all that a table knows, so that two dumps can be compared; its history counts by length."""
    match value:
        case dict():
            return {repr(key): dump(part) for key, part in value.items()}
        case set() | frozenset():
            return sorted(map(repr, value))
        case list() | tuple() | deque():
            return [dump(part) for part in value]
        case Coroutine():
            frame = getattr(value, "cr_frame", None)
            return frame and frame.f_lasti
        case Table() | Round() | Ledger() | Custody() | Procedure():
            return type(value).__name__, dump(fields_of(value))
    return repr(value)


def fields_of(value: Any) -> dict[str, Any]:
    fields = {name: part for name, part in vars(value).items() if name not in BACK}
    if isinstance(value, Table):
        fields |= {"_history": len(value._history), "round": value.round}
    return fields


class Habit:
    """People and devices who do what comes next, as far as a random number leaves it open."""

    def __init__(self, bench: Bench, seed: int) -> None:
        self.bench = bench
        self.table = bench.table
        self.random = Random(seed)

    def go_on(self) -> tuple[Fact, ...]:
        """Do the next thing; nothing where nothing is left to do."""
        bench = self.bench
        for due in self.table.commands.values():
            moved = self.move(due)
            if moved:
                return bench.read(due.device, moved)
        custody = self.table.custody
        if self.drops():
            return bench.load()
        if custody.at(Place.SHUFFLER) and self.table.device("shuffler"):
            return bench.read("shuffler", read.ShufflerFinished(count=custody.size))
        prompt = self.table._awaited()
        if prompt.step == "deal" and self.table.round and self.table.round.unread and self.random.random() < 0.5:
            return self.name_late()
        step = getattr(self, f"do_{prompt.step}")
        facts: tuple[Fact, ...] = step(prompt)
        return facts

    def drops(self) -> bool:
        """Tell whether a shuffler that is the shoe too lets the next deck down, because the last has left it."""
        devices, held = self.terms.devices, self.held
        both = "shuffler" in devices and devices["shuffler"] == devices.get("stack-shoe")
        return bool(both and held and held.stub_out and not held.next_deck and self.table.custody.at(Place.READY))

    @property
    def terms(self) -> Terms:
        return self.table.terms

    def move(self, due: Any) -> Reading | None:
        """Return what a device says that does what is due."""
        match due:
            case fact.ShuffleDue():
                return read.ShufflerStarted(due.command)
            case fact.StackDue():
                return read.ShoeStackDispensed(due.command, due.stack, due.size, due.left - due.size)
            case fact.StubDue():
                return read.ShoeStubReleased(due.command, due.left)
            case fact.RollDue():
                return read.ShakerShaken(due.times, due.command)
            case fact.CardDue() if not self.table.suspended and self.table._awaited().step == "deal":
                return read.ShoeCardDrawn(self.face() if due.face_up else UNSEEN)
        return None

    def name_late(self) -> tuple[Fact, ...]:
        """Name a card that lies face up unread."""
        return self.bench.say(say.ExposeCards(self.held.unread[0], self.faces(1)))

    def face(self) -> Card:
        """Return a card that may still be in the deck."""
        return self.random.choice([card for card in self.terms.composition.cards() if self.held.has(card)])

    def faces(self, count: int) -> tuple[Card, ...]:
        pack = list(self.terms.composition.cards())
        for lying in self.held.hands.values():
            for card in lying:
                if card is not UNSEEN:
                    pack.remove(card)
        return tuple(self.random.sample(pack, count))

    @property
    def held(self) -> Any:
        return self.table.round

    def do_between(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        latched = [alarm.alarm for alarm in self.table.alarms.values() if alarm.latched]
        mended = self.mend()
        if mended:
            return mended
        if "broker" in self.table.alarms:
            return self.bench.say(say.ReportBroker())
        if latched and latched[0].startswith("deck:"):
            return self.bench.say(say.RemoveDeck(latched[0].removeprefix("deck:"), prompt.prompt))
        if latched:
            return self.bench.say(say.ClearAlarm(latched[0], prompt.prompt))
        if not self.table.open:
            return self.bench.say(say.OpenTable(("supervisor", "dealer")))
        return self.bring_deck()

    def mend(self) -> tuple[Fact, ...]:
        """Bring one device back to work; nothing where all are well."""
        if self.offline:
            return self.find()
        for device in self.table.devices.values():
            if device.out:
                return self.bench.say(say.ReturnDevice(device.device, "mended"))
            if device.untested:
                return self.bench.say(say.WaiveTest(device.device, "seen"))
            for condition in device.conditions:
                return self.bench.read(device.device, read.DeviceConditionEnded(condition))
        return ()

    def bring_deck(self) -> tuple[Fact, ...]:
        bench, custody = self.bench, self.table.custody
        ready = custody.at(Place.READY)
        if ready and not custody.is_out_of_turn(ready):
            return bench.load()
        rack = custody.at(Place.RACK) or custody.at(Place.SHUFFLER)
        if rack:
            return bench.say(say.ConfirmShuffle(rack.deck))
        name = f"deck{len(custody.decks)}"
        return bench.say(say.ReceiveDeck(name, name))

    @property
    def offline(self) -> list[str]:
        return [device.device for device in self.table.devices.values() if not device.online]

    def find(self) -> tuple[Fact, ...]:
        device = self.offline[0]
        return self.bench.read(device, read.DeviceFound("model", self.table.meant(device) or "1", "1.0", (device,)))

    def do_suspended(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        bench = self.bench
        for command in self.table.doubts:
            return bench.say(say.EndDoubt(command, self.random.random() < 0.5, ("dealer", "supervisor")))
        if self.offline:
            return self.find()
        for device in self.table.devices.values():
            for condition in device.conditions:
                return bench.read(device.device, read.DeviceConditionEnded(condition))
        return self.refill() or bench.say(self.ruling(prompt.prompt))

    def ruling(self, reason: str) -> Announcement:
        """Return what a supervisor says who comes to a table on hold."""
        held = self.table.suspended
        if "payout" in held:
            return say.VerifyPayout(reason)
        if "out-of-turn" in held and self.random.random() < 0.5:
            return say.NextCard(reason)
        return say.VoidRound(reason) if "short" in held else say.LiftSuspension(reason)

    def refill(self) -> tuple[Fact, ...]:
        """Shuffle the discards of a shoe that ran out, and put them in; nothing where the rules do not say so."""
        held, deck = self.table.suspended, self.table.custody.at(Place.SHOE)
        if deck and "refill" in held:
            return self.bench.say(say.LoadDeck(deck.deck))
        if deck and "short" in held and "shoe empty" in self.terms.rules.clauses and self.random.random() < 0.8:
            return self.bench.say(say.ConfirmShuffle(deck.deck))
        return ()

    def do_bank(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        return self.bench.say(say.Decide(prompt.hand, self.random.choice(prompt.answers)))

    def do_wagers(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        lie = self.held.ledger.wagers
        if not lie or self.random.random() < 0.5:
            hands = [hand for hand in prompt.hands if self.table.custody.may_enter(player_at(hand, ""))]
            if not hands:
                return self.bench.say(say.AdmitPlayer(prompt.hands[0], "nobody else is here"))
            hand, wager = self.random.choice(hands), self.random.choice(prompt.answers)
            amount = self.random.choice((1000, 1500)) if self.terms.wagers is Wagers.AMOUNTS else None
            if not self.held.ledger.on(hand, prompt.answers[0]):
                wager = prompt.answers[0]
            return self.bench.say(say.PlaceWager(hand, wager, amount))
        if prompt.verb:
            return self.bench.say(say.NoMoreBets())
        if not is_by_word(self.table):
            return self.bench.read("card-shoe", read.ShoeCardDrawn(self.face()))
        return self.bench.say(say.ConfirmDealt((self.face(),)))

    def do_deal(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        if prompt.verb:
            return self.bench.say(say.ConfirmDealt())
        return self.bench.read("stack-shoe", read.ShoeStackTaken(self.held.stacks))

    def do_expose(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        return self.bench.say(say.ExposeCards(prompt.hand, self.faces(prompt.count or self.held.unseen(prompt.hand))))

    def do_turn(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        """Choose, call an end that is not seen, or draw; the dealer has nothing to choose."""
        step = self.held.procedure.step
        ends = () if self.held.seen(*step.of) else step.ends
        choices = [answer for answer in prompt.answers if answer in step.choices]
        pick = self.random.choice([*choices, *choices, *ends, *(("draw",) * 2 if step.draws else ())])
        if pick in choices:
            return self.bench.say(say.Decide(prompt.hand, pick))
        if pick in ends:
            return self.bench.say(say.Call(prompt.what, pick, prompt.hand))
        return self.draw(prompt.hand)

    def draw(self, hand: str) -> tuple[Fact, ...]:
        """Draw a card that is dealt face up to this hand."""
        card = self.face() if self.terms.exposed(hand) else UNSEEN
        if not is_by_word(self.table):
            return self.bench.read("card-shoe", read.ShoeCardDrawn(card))
        return self.bench.say(say.ConfirmDealt((card,)))

    def do_roll(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        if prompt.what == "cover":
            return self.bench.read("shaker", read.ShakerLidClosed())
        dice = [self.random.randint(1, 6) for _ in range(3)]
        if not prompt.verb:
            return self.bench.read("shaker", read.ShakerRolled(Roll.of(*dice)))
        total = None if self.table.device("shaker") else sum(dice)
        return self.bench.say(say.AnnounceTotal(total))

    def do_count(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        held = self.held.procedure.step.held
        lying = {hand: len(self.held.hands[hand]) for hand in held if hand in self.held.hands}
        wrong = {hand: size for hand, size in lying.items() if size != held[hand]}
        assert prompt.verb == "count-stub"
        return self.bench.say(say.CountStub(self.terms.composition.size - self.held.dealt, wrong))

    def do_set(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        if prompt.verb == say.SetHand.name():
            return self.lay_open(prompt.hand)
        if not self.held.unseen(prompt.hand):
            return self.bench.say(say.VoidRound("the hand was misdealt"))
        return self.do_expose(prompt)

    def do_offer(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        if prompt.verb == say.Decide.name():
            return self.decide(self.random.choice(prompt.hands), self.random.choice(prompt.answers))
        if prompt.hands and prompt.answers and self.random.random() < 0.4:
            free = prompt.what in ("raise", "insurance")
            amount = 500 if self.terms.wagers is Wagers.AMOUNTS and free else None
            hand = self.random.choice(prompt.hands)
            return self.bench.say(say.Decide(hand, self.random.choice(prompt.answers), amount))
        return self.bench.say(say.CloseOffer())

    def decide(self, hand: str, choice: str) -> tuple[Fact, ...]:
        """Choose for a hand that must, with an amount where that is the player's."""
        stake, amount = self.held.procedure.step.choices[choice].stake, None
        if stake and stake.least != stake.most and self.terms.wagers is Wagers.AMOUNTS:
            amount = sum(wager.amount for wager in self.held.ledger.on(hand, stake.of)) * self.random.randint(1, 3)
        return self.bench.say(say.Decide(hand, choice, amount))

    def lay_open(self, hand: str) -> tuple[Fact, ...]:
        """Lay a hand open as its player set it, the last two cards low."""
        lying = self.held.hands[hand]
        whole = (*(card for card in lying if card is not UNSEEN), *self.faces(lying.count(UNSEEN)))
        return self.bench.say(say.SetHand(hand, whole[:-2], whole[-2:]))

    def do_call(self, prompt: fact.RoundStepAwaited) -> tuple[Fact, ...]:
        lying = self.held.hands.get(prompt.hand, [])
        sets = f"{prompt.hand}.high" in getattr(self.held.procedure.step, "of", ()) and len(lying) >= 4
        if sets and self.terms.exposed(prompt.hand) and UNSEEN in lying:
            return self.lay_open(prompt.hand)
        if prompt.hands and self.random.random() < 0.3:
            return self.bench.say(say.CallOthers(prompt.what, self.random.choice(prompt.answers)))
        return self.bench.say(say.Call(prompt.what, self.random.choice(prompt.answers), prompt.hand))
