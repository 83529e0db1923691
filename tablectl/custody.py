"""The decks of this table: where each is, when it was counted, whose turn it is, and which never return.

The rules for it are the digest of 13:69E-1.18 and the count clauses of each game (13:69F-11.17(h), (i) for all).
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from tablectl.events.announcements import DeckSource
from tablectl.events.facts import (
    Counted,
    Deck,
    DeckLoaded,
    DeckMoved,
    DeckReceived,
    DeckRemoved,
    DeckShuffleBegan,
    DeckShuffled,
    Fact,
    Place,
)
from tablectl.terms import Refused

ALTERNATION = "13:69F-23.2(b)"
REMOVAL = "13:69E-1.18"
SHOE, OK = Place.SHOE, Counted.OK
COUNT_DUTY = 5
"""The stub is counted at least once in so many rounds (13:69F-11.17(h), 35.9(e))."""


def player_at(hand: str, owner: str) -> str:
    """Return how a player is known from one round to the next: by the position, and by name where one is known."""
    return f"{hand}/{owner}"


class Custody:
    """The decks of one table; at most two are in use at a time, and only the second needs a shuffler."""

    def __init__(self, size: int, *, alternates: bool, decks: Iterable[Deck] = ()) -> None:
        self.size = size
        self.alternates = alternates
        self.decks = {deck.deck: deck for deck in decks}

    def __iter__(self) -> Iterator[Deck]:
        return iter(self.decks.values())

    def at(self, place: Place) -> Deck | None:
        """Return the deck at this place that was least lately dealt."""
        found: Deck | None = None
        for deck in self.decks.values():
            if deck.place is place and (found is None or deck.last_round < found.last_round):
                found = deck
        return found

    @property
    def in_use(self) -> list[Deck]:
        """Return the decks that were not removed."""
        return [deck for deck in self.decks.values() if deck.place is not Place.REMOVED]

    def find(self, name: str) -> Deck:
        """Return a deck by its id.

        Raises:
            Refused: no such deck came to this table, or it was removed.
        """
        deck = self.decks.get(name)
        if deck is None or deck.place is Place.REMOVED:
            known = ", ".join(deck.deck for deck in self.in_use) or "none"
            was = "was removed and never returns" if deck else "never came to this table"
            raise Refused("deck", f"one of the decks in use: {known}", f"deck {name} {was}", REMOVAL)
        return deck

    def receive(self, name: str, back: str, source: DeckSource, seal: str, at: int = 0) -> list[Fact]:
        """Take a deck to the table. at: when, in nanoseconds since 1970.

        Raises:
            Refused: an id that was here before, a third deck, or a colour that is in use.
        """
        if name in self.decks:
            raise Refused("deck", "a new deck's own id", f"deck {name} was at this table before", REMOVAL)
        most = 2 if self.alternates else 1
        if len(self.in_use) >= most:
            raise Refused("deck", f"at most {most} in use", "remove a deck before another one comes", ALTERNATION)
        if any(deck.back == back for deck in self.in_use):
            raise Refused("deck", "backs of another colour", f"a deck with {back} backs is in use", ALTERNATION)
        fit = source is DeckSource.PRE_SHUFFLED
        place = Place.READY if fit and not self.at(Place.READY) else Place.RACK
        self.decks[name] = Deck(name, back, source, place, shuffled=fit, received=at, seal=seal)
        return [DeckReceived(name, back, source, seal, self.size)]

    def shuffle_began(self, name: str = "") -> list[Fact]:
        """Note that a deck is being shuffled; without a name it is the one that lies out of play.

        Raises:
            Refused: no deck lies there to be shuffled.
        """
        deck = self.find(name) if name else self.at(Place.RACK)
        if deck is None:
            raise Refused("deck", "a deck out of play", "no deck is out of play, so none can be in the shuffler")
        self.shuffler_emptied()
        self._put(replace(deck, place=Place.SHUFFLER, shuffled=False, counted=Counted.NOT, counted_by=""))
        return [DeckShuffleBegan(deck.deck)]

    def shuffled(self, device: str, count: int | None) -> list[Fact]:
        """Note that the shuffler finished; count: its own claim, None where it does not count.

        Raises:
            Refused: no deck is out of play, or the one in the shuffler was removed.
        """
        removed = next((deck for deck in self.decks.values() if deck.in_shuffler), None)
        if removed:
            self.shuffler_emptied()
            raise Refused("deck", "no deck", f"deck {removed.deck} was removed while it was shuffled", REMOVAL)
        deck = self.at(Place.SHUFFLER) or self.at(Place.RACK)
        if deck is None:
            raise Refused("deck", "a deck in the shuffler", "the shuffler finished, but no deck is out of play")
        counted = Counted.NOT if count is None else OK if count == self.size else Counted.WRONG
        return self._ready(deck, counted, count, device)

    def shuffler_emptied(self) -> None:
        """Note that the shuffler holds no deck that was removed while it was in it, and none that it was lost with."""
        for deck in [deck for deck in self.decks.values() if deck.in_shuffler]:
            self._put(replace(deck, in_shuffler=False))
        if lost := self.lost_in_shuffler():
            self.shuffle_failed(lost.deck)

    def lost_in_shuffler(self) -> Deck | None:
        """Return the deck in the shuffler of which nobody knows whether it is being shuffled, was, or never will be."""
        deck = self.at(Place.SHUFFLER)
        return deck if deck and deck.counted is Counted.UNKNOWN else None

    def shuffle_goes_on(self) -> bool:
        """Tell whether a deck lies in the shuffler; one it was lost with is no longer in doubt once it shuffles."""
        if lost := self.lost_in_shuffler():
            self._put(replace(lost, counted=Counted.NOT))
        return self.at(Place.SHUFFLER) is not None

    def confirm_shuffle(self, name: str) -> list[Fact]:
        """Note that the dealer shuffled and cut by hand.

        Raises:
            Refused: the deck is unknown, removed, in the shoe, or was counted wrong.
        """
        deck = self.find(name)
        if deck.place is SHOE or deck.counted is Counted.WRONG:
            raise Refused("deck", "a deck out of play and not counted wrong", f"deck {name} cannot be shuffled now")
        return self._ready(deck, Counted.NOT, None, "")

    def _ready(self, deck: Deck, counted: Counted, count: int | None, device: str) -> list[Fact]:
        rounds = 0 if counted is OK else deck.rounds_since_count
        self._put(
            replace(
                deck,
                place=Place.READY,
                shuffled=True,
                shuffle=deck.shuffle + 1,
                counted=counted,
                counted_by=device if count is not None else "",
                rounds_since_count=rounds,
                left=None,
                cut_card_out=False,
                burned_for=None,
                players=None,
            )
        )
        return [DeckShuffled(deck.deck, deck.shuffle + 1, counted, count, self.size, device if count else "")]

    def shuffle_failed(self, name: str) -> None:
        """Note that a shuffle was refused, or that nobody knows whether it was done: the next one is another."""
        deck = self.decks[name]
        if deck.place in (Place.RACK, Place.SHUFFLER):
            self._put(replace(deck, place=Place.RACK, counted=Counted.UNKNOWN, shuffle=deck.shuffle + 1))

    def count_unknown(self) -> Deck | None:
        """Note that the shuffler was lost in mid-shuffle, and return its deck: nobody knows the number (digest, E5).

        The deck stays where it is, so that no second shuffle is ordered of what may be turning still.
        """
        deck = self.at(Place.SHUFFLER)
        return self._put(replace(deck, counted=Counted.UNKNOWN)) if deck else None

    def load(self, name: str = "", count: int | None = None) -> list[Fact]:
        """Note that a shuffled deck is in the shoe or in the dealer's hand.

        Raises:
            Refused: no deck is ready, it was counted wrong, or the shoe still holds another.
        """
        deck = self.find(name) if name else self.at(Place.READY)
        if deck is None or deck.place is not Place.READY:
            raise Refused("deck", "a shuffled deck", "no shuffled deck is ready for the shoe")
        if deck.counted is Counted.WRONG:
            raise Refused("deck", "another deck", f"deck {deck.deck} was counted wrong and must be removed", REMOVAL)
        if self.at(SHOE):
            raise Refused("deck", "an empty shoe", "the shoe still holds a deck")
        if self.is_out_of_turn(deck):
            text = f"deck {deck.deck} was dealt last; the decks take turns"
            raise Refused("deck", "the other deck", text, ALTERNATION)
        self._put(replace(deck, place=SHOE, left=self.size))
        return [DeckLoaded(deck.deck, self.size if count is None else count)]

    def refill(self, out: int) -> list[Fact]:
        """Note that every card of the deck in the shoe is in it again, but for so many that lie on the layout."""
        deck = self.at(SHOE)
        if deck is None:
            return []
        left = self.size - out
        self._put(replace(deck, left=left, shuffle=deck.shuffle + 1, cut_card_out=False))
        return [DeckLoaded(deck.deck, left)]

    def why_not(self) -> str:
        """Return why no round can be dealt now, in plain words; empty when one can."""
        if self.at(SHOE):
            return ""
        ready = self.at(Place.READY)
        if ready and self.is_out_of_turn(ready):
            return f"deck {ready.deck} was dealt last; the decks take turns ({ALTERNATION})"
        if ready:
            return f"deck {ready.deck} is shuffled and not yet in the shoe"
        shuffling = self.at(Place.SHUFFLER)
        if shuffling and not self.lost_in_shuffler():
            return f"deck {shuffling.deck} is being shuffled"
        return "no shuffled deck is in the shoe"

    def is_out_of_turn(self, deck: Deck) -> bool:
        """Tell whether another deck in use is to be dealt before this one (13:69F-23.2(b))."""
        others = [other.last_round for other in self.in_use if other.deck != deck.deck]
        return self.alternates and bool(others) and deck.last_round > max(others)

    def take(self, cards: int) -> Deck:
        """Note that cards left the shoe, and return their deck.

        Raises:
            LookupError: no deck is in the shoe.
        """
        deck = self.at(SHOE)
        if deck is None:
            raise LookupError("cards left the shoe, but no deck is in it")
        deck = replace(deck, left=None if deck.left is None else deck.left - cards)
        return self._put(deck)

    def cut_card(self) -> Deck | None:
        """Note that the cutting card came out of the deck in the shoe."""
        deck = self.at(SHOE)
        return self._put(replace(deck, cut_card_out=True)) if deck else None

    def burn_due(self, dealer: str) -> bool:
        """Tell whether no card was burned since the shuffle, or none for this dealer."""
        deck = self.at(SHOE)
        return deck is not None and deck.burned_for != dealer

    def burned(self, dealer: str) -> None:
        """Note that a card of the deck in the shoe was burned for this dealer."""
        deck = self.at(SHOE)
        if deck:
            self._put(replace(deck, burned_for=dealer))

    def may_enter(self, player: str) -> bool:
        """Tell whether this player has wagered in every round since the shuffle, or was let in."""
        deck = self.at(SHOE)
        return deck is None or deck.players is None or player in deck.players

    def wagered(self, players: Iterable[str]) -> None:
        """Note who wagers in this round; whoever sits out may be barred until the next shuffle."""
        deck = self.at(SHOE)
        if deck:
            self._put(replace(deck, players=tuple(players)))

    def admit(self, player: str) -> None:
        """Let a player in who sat out."""
        deck = self.at(SHOE)
        if deck and deck.players is not None:
            self._put(replace(deck, players=(*deck.players, player)))

    def count_due(self, deck: Deck, every: int) -> bool:
        """Tell whether this round's stub must be counted: counted by this shuffle's device, it need not be."""
        return every == 1 or (deck.counted is not OK and deck.rounds_since_count >= every - 1)

    def counted(self, name: str, *, in_round: bool) -> None:
        """Note that people counted the deck and found it whole; a round that it is counted in is none since."""
        self._put(replace(self.decks[name], rounds_since_count=-1 if in_round else 0, miscounted=None))

    def miscounted(self, name: str, count: int) -> None:
        """Note a number that people found once: it counts when they find it again."""
        self._put(replace(self.decks[name], miscounted=count))

    def end_round(self, round_number: int, *, reshuffle: bool) -> list[Fact]:
        """Note that a round was dealt from the deck in the shoe; reshuffle: it goes out of play now."""
        deck = self.at(SHOE)
        if deck is None:
            return []
        deck = replace(deck, last_round=round_number, rounds_since_count=deck.rounds_since_count + 1)
        self._put(deck)
        return self.out_of_play() if reshuffle else []

    def out_of_play(self) -> list[Fact]:
        """Note that the deck in the shoe is collected: it must be shuffled before it is dealt again."""
        deck = self.at(SHOE)
        if deck is None:
            return []
        self._put(replace(deck, place=Place.RACK, shuffled=False, left=None, source=DeckSource.INSPECTED))
        return [DeckMoved(deck.deck, Place.RACK)]

    def remove(self, name: str, reason: str, clause: str) -> list[Fact]:
        """Take a deck from the table for good.

        Raises:
            Refused: no such deck is in use.
        """
        deck = self.find(name)
        self._put(replace(deck, place=Place.REMOVED, in_shuffler=deck.place is Place.SHUFFLER))
        return [DeckRemoved(name, reason, clause)]

    def _put(self, deck: Deck) -> Deck:
        self.decks[deck.deck] = deck
        return deck
