"""Devices, and drivers, that break one promise each, made from the sound ones; the kit must tell them apart."""

import asyncio
import random
from collections import OrderedDict
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
from tablectl_drivers.otdp import StackShoe, wire
from tablectl_drivers.otdp.double import (
    CardShoeDouble,
    ReaderDouble,
    ShakerDouble,
    ShufflerDouble,
    ShufflerShoeDouble,
    StackShoeDouble,
)
from tablectl_drivers.otdp.memory import Memory
from tablectl_drivers.otdp.wire import Answer, Arm, Event, Message, Result

from tablectl.devices import contract
from tablectl.devices.contract import State
from tablectl.devices.framing import LONGEST, Deframer, frame
from tablectl.events.readings import ShoeLoaded, ShoeStackDispensed, ShufflerFinished


class IgnoresTheCount(StackShoeDouble):
    """Gives a stack whatever count the host awaits."""

    def _problem(self, order: Any) -> str:
        problem = super()._problem(order)
        return "" if "left, not" in problem else problem


class MovesAgain(IgnoresTheCount):
    """Answers a repeated id with motion: it keeps no results."""

    def _obey(self, message: Message) -> Answer:
        return self.orders[type(message)](message)


class ForgetsAtResume(IgnoresTheCount):
    """Keeps results only as long as the connection lasts."""

    def _resume(self, resume: wire.Resume) -> Message:
        self.memory.answers = OrderedDict()
        return super()._resume(resume)


class KeepsItsBoot(StackShoeDouble):
    """Forgets that it was reset: its boot stays as it was."""

    def power_up(self, *, forget: bool = False) -> None:
        super().power_up(forget=forget)
        self.memory.boot = 1


class ForgetsItsMemory(IgnoresTheCount):
    """Keeps its memory's number over a reset, but none of its results."""

    def power_up(self, *, forget: bool = False) -> None:
        super().power_up(forget=forget)
        self.memory.answers = OrderedDict()


class CountsWrong(StackShoeDouble):
    """Says, and believes, that it holds one card more than it does."""

    def left(self) -> int | None:
        return len(self.inside) + 1

    def _problem(self, order: Any) -> str:
        return super()._problem(Arm(order.command, 1, order.size, order.left - (order.left == self.left())))


class SaysOneMore(StackShoeDouble):
    """Gives one card less than it says."""

    def happened(self, said: Any, state: State | None = None) -> None:
        if isinstance(said, ShoeStackDispensed):
            said = ShoeStackDispensed(said.command, said.stack, said.size, said.left + 1)
        super().happened(said, state)


class LosesWhatItAcks(StackShoeDouble):
    """Says done, and loses the event that should tell it."""

    def happened(self, said: Any, state: State | None = None) -> None:
        if not isinstance(said, ShoeStackDispensed):
            super().happened(said, state)


class Floods(StackShoeDouble):
    """Its heart beats a hundred times a second."""

    def _beat(self) -> None:
        super()._beat()
        self.timers.set("beat", 0.01, self._beat)


class FloodsUnacknowledged(StackShoeDouble):
    """Sends what nobody acknowledged again and again without a pause."""

    def _send_events(self) -> None:
        super()._send_events()
        if "again" in self.timers:
            self.timers.set("again", 0.01, self._send_again)


class HasNoHeart(StackShoeDouble):
    """Never says that it lives."""

    def _beat(self) -> None:
        pass


class AnswersAnybody(StackShoeDouble):
    """Says who it is with the nonce of the HELLO before, so that a host which asks twice finds its own."""

    asked = 0

    def _identity(self, nonce: int) -> wire.Identity:
        before, self.asked = self.asked, nonce
        return super()._identity(before)


class NumbersAnew(StackShoeDouble):
    """Begins its numbers anew at each reset, under the same memory."""

    def power_up(self, *, forget: bool = False) -> None:
        self.memory.last = self.memory.acknowledged = 0
        self.memory.events.clear()
        super().power_up(forget=forget)


class SaysItOnce(StackShoeDouble):
    """Sends each event once, and forgets it."""

    def _send_events(self) -> None:
        for event in self.memory.events:
            self._send(event)
        self.memory.acknowledged = self.memory.last
        self.memory.events.clear()


class SaysItAlways(StackShoeDouble):
    """Ignores where the host stands, and begins at its oldest event."""

    def _resume(self, resume: wire.Resume) -> Message:
        kept = self.memory.kept
        super()._resume(resume)
        oldest = self.memory.events[0].number if self.memory.events else 1
        self.memory.acknowledged = self._sent = oldest - 1
        return wire.Resumed(oldest - 1, kept)


class MovesWhenArmed(StackShoeDouble):
    """Does not wait for GO."""

    def _arm(self, order: Any) -> Answer:
        answer = super()._arm(order)
        return self._go(order.command) if answer.result is Result.ARMED else answer


class StaysArmed(StackShoeDouble):
    """Stays armed for ever."""

    def _disarm(self) -> None:
        pass


class RefusesEverything(StackShoeDouble):
    """Refuses what it could do."""

    def _arm(self, order: Any) -> Answer:
        return self.refuse(order.command, "not today")


class GivesAnotherSize(StackShoeDouble):
    """Gives three cards where two are due."""

    def _arm(self, order: Any) -> Answer:
        if isinstance(order, Arm) and order.size == 2:
            order = Arm(order.command, order.stack, 3, order.left)
        return super()._arm(order)


class ChangesItsMind(StackShoeDouble):
    """Holds a command that it has carried out against the count, before it looks whether it knows it."""

    def _obey(self, message: Message) -> Answer:
        return self.orders[type(message)](message)


class HearsNoAck(StackShoeDouble):
    """Takes acknowledgement only at the next RESUME."""

    def _acknowledge(self, number: int) -> None:
        pass


class ClaimsItWasKept(StackShoeDouble):
    """Says at RESUME that its newest event was acknowledged, whoever did it."""

    def _resume(self, resume: wire.Resume) -> Message:
        answer = super()._resume(resume)
        assert isinstance(answer, wire.Resumed)
        return wire.Resumed(answer.number, self.memory.last + 1)


class KeepsTheStub(StackShoeDouble):
    """Has no way to let the rest of the deck out."""

    def _stand(self, message: Message) -> Message:
        return self.refuse(message.command, "what?") if isinstance(message, wire.Release) else super()._stand(message)


class StartsAnewAtHello(StackShoeDouble):
    """Ends the session when somebody says HELLO."""

    def _answer(self, message: Message) -> Message:
        self._resumed &= not isinstance(message, wire.Hello)
        return super()._answer(message)


class ReadsWhatItKnows(StackShoeDouble):
    """Takes the beginning of a HELLO, and does not mind what stands behind it."""

    def _take(self, body: bytes) -> None:
        super()._take(body[: 2 + 5] if body[:1] == b"\x01" else body)


class ArmsTwo(StackShoeDouble):
    """Lets go any command that was ever armed."""

    def _stand(self, message: Message) -> Message:
        answer = super()._stand(message)
        if isinstance(message, wire.Go) and answer == Answer(message.command, Result.EXPIRED):
            return self.memory.keep(message.command, Result.MOVING)
        return answer


class RemembersAFew(StackShoeDouble):
    """Keeps the results of eight commands."""

    def refuse(self, command: str, reason: str) -> Answer:
        answer = super().refuse(command, reason)
        while len(self.memory.answers) > 8:
            self.memory.answers.popitem(last=False)
        return answer


class BootsFromZero(StackShoeDouble):
    """Counts its starts from 0."""

    def _identity(self, nonce: int) -> wire.Identity:
        return msgspec.structs.replace(super()._identity(nonce), boot=self.memory.boot - 1)


class SeesAnew(ReaderDouble):
    """Looks again when a host comes, instead of telling what it saw."""

    def _resume(self, resume: wire.Resume) -> Message:
        answer = super()._resume(resume)
        self.memory.events.clear()
        if self.memory.acknowledged < self.memory.last:
            self.memory.acknowledged = self.memory.last
            self.acts["show"]()
        return answer


class KnowsEverything(StackShoeDouble):
    """Says of a command that never was that it is done."""

    def _stand(self, message: Message) -> Message:
        answer = super()._stand(message)
        if isinstance(message, wire.Query) and answer == Answer(message.command, Result.UNSEEN):
            return Answer(message.command, Result.DONE)
        return answer


class KnowsNothing(StackShoeDouble):
    """Says of every command that it never was."""

    def _stand(self, message: Message) -> Message:
        return Answer(message.command, Result.UNSEEN) if isinstance(message, wire.Query) else super()._stand(message)


class SilentlyDoubtful(StackShoeDouble):
    """Forgets, when power fails, what was moving."""

    def power_up(self, *, forget: bool = False) -> None:
        for command, answer in list(self.memory.answers.items()):
            if answer.result is Result.MOVING:
                self.memory.answers[command] = Answer(command, Result.DONE)
        super().power_up(forget=forget)


class TellsTheFace(CardShoeDouble):
    """Tells the face of a card that is due face down."""

    def _unlock(self, order: wire.Unlock) -> Answer:
        return super()._unlock(wire.Unlock(order.command, face_up=True))


class BelievesAnything(StackShoeDouble):
    """Checks no CRC."""

    def receive(self, data: bytes, now: float) -> None:
        from cobs import cobs

        sound = self._deframer.feed(data)
        for piece in data.split(b"\x00"):
            try:
                body = cobs.decode(piece)[:-4] if piece else b""
            except cobs.DecodeError:
                continue
            if body and body not in sound:
                sound.append(body)
        for body in sound:
            self._take(body)
        self.advance(now)


class NeedsWholeFrames(StackShoeDouble):
    """Loses a frame that comes in pieces."""

    def receive(self, data: bytes, now: float) -> None:
        self._deframer = Deframer()
        super().receive(data, now)


class DiesOfNoise(ShakerDouble):
    """Hangs for ever when it hears what is no frame."""

    dead = False

    def receive(self, data: bytes, now: float) -> None:
        self.dead = self.dead or b"AT\r" in data
        if not self.dead:
            super().receive(data, now)


class ObeysModems(StackShoeDouble):
    """Takes a modem manager's words for an order."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(data, now)
        if b"AT\r" in data and self.inside:
            self._into_gate(1)
            self.happened(ShoeStackDispensed("AT", 1, 1, len(self.inside)), State.STACK_READY)


class StartsByItself(ShufflerDouble):
    """Shuffles whenever somebody connects."""

    def _resume(self, resume: wire.Resume) -> Message:
        answer = super()._resume(resume)
        self._start("")
        return answer


class TellsItTwice(ShufflerDouble):
    """Says twice that it has finished, under two numbers."""

    def happened(self, said: Any, state: State | None = None) -> None:
        super().happened(said, state)
        if isinstance(said, ShufflerFinished) and said.command:
            super().happened(said, state)


class IsSomebodyElseNextTime(ShakerDouble):
    """Makes up its serial number at each HELLO."""

    def _identity(self, nonce: int) -> wire.Identity:
        self.serial = f"R{random.Random(nonce).randrange(10**6)}"
        return super()._identity(nonce)


class NakNothing(ShakerDouble):
    """Leaves the host waiting when it does not understand."""

    def _send(self, message: Message, link: int = 0) -> None:
        if not isinstance(message, wire.Nak):
            super()._send(message, link)


class ChangesItsStory(StackShoeDouble):
    """Sends an event again with other words under the same number."""

    def _send(self, message: Message, link: int = 0) -> None:
        if isinstance(message, Event) and isinstance(message.reading, ShoeStackDispensed):
            said = message.reading
            changed = ShoeStackDispensed(said.command, said.stack, said.size, said.left + self._told)
            self._told += 1
            message = Event(message.boot, message.number, message.state, changed)
        self._output += frame(wire.encode(message, link))

    _told = 0


class NewMemoryAtHello(StackShoeDouble):
    """Takes each HELLO for a new life."""

    def _identity(self, nonce: int) -> wire.Identity:
        self.memory.number = Memory.new().number
        return super()._identity(nonce)


class IsNameless(StackShoeDouble):
    """Says no model."""

    model = ""


class MovesBeforeItIsAsked(StackShoeDouble):
    """Gives a card as soon as somebody has come."""

    def _resume(self, resume: wire.Resume) -> Message:
        self.timers.set("haste", 0.5, self._haste)
        return super()._resume(resume)

    def _haste(self) -> None:
        self._into_gate(1)
        self.happened(ShoeStackDispensed("", 1, 1, len(self.inside)), State.STACK_READY)


class GoesAgain(StackShoeDouble):
    """Takes each GO for another."""

    def _go(self, command: str) -> Answer:
        if self.memory.recall(command).result in (Result.MOVING, Result.DONE) and self.inside and self._again():
            self._into_gate(1)
            self.happened(ShoeStackDispensed(command, 1, 1, len(self.inside)), State.STACK_READY)
        return super()._go(command)

    def _again(self) -> bool:
        return True


class HearsDouble(GoesAgain):
    """Takes a GO for another only if it comes at once: it clears its buffer later."""

    heard = -1.0

    def _again(self) -> bool:
        return self.timers.now - self.heard < 0.1

    def _go(self, command: str) -> Answer:
        answer = super()._go(command)
        self.heard = self.timers.now
        return answer


class ChokesOnLength(StackShoeDouble):
    """Hangs for ever when something is longer than its buffer."""

    full = False

    def receive(self, data: bytes, now: float) -> None:
        self.full = self.full or any(len(piece) > LONGEST for piece in data.split(b"\x00"))
        if not self.full:
            super().receive(data, now)


class KnowsNoOtherKind(ShakerDouble):
    """Says of another kind's order that it does not understand it."""

    def _answer(self, message: Message) -> Message:
        answer = super()._answer(message)
        foreign = answer == wire.Nak(wire.Refusal.NOT_FOR_THIS_KIND)
        return wire.Nak(wire.Refusal.NOT_UNDERSTOOD) if foreign else answer


class BelievesQuestions(StackShoeDouble):
    """Takes what it is asked after for what it once did."""

    def _stand(self, message: Message) -> Message:
        answer = super()._stand(message)
        if isinstance(message, wire.Query) and answer == Answer(message.command, Result.UNSEEN):
            self.memory.keep(message.command, Result.DONE)
        return answer


class KeepsWhatItsHostSays(StackShoeDouble):
    """Says that no more was kept than the present host knows of."""

    def _resume(self, resume: wire.Resume) -> Message:
        answer = super()._resume(resume)
        self.memory.kept = self.memory.acknowledged
        return answer


class KeepsWhatItSent(StackShoeDouble):
    """Says that everything was kept which it has sent."""

    def _resume(self, resume: wire.Resume) -> Message:
        answer = super()._resume(resume)
        return wire.Resumed(answer.number, self.memory.last) if isinstance(answer, wire.Resumed) else answer


class ForgetsWhatWasKept(StackShoeDouble):
    """Forgets over a reset how far its events were kept."""

    def power_up(self, *, forget: bool = False) -> None:
        super().power_up(forget=forget)
        self.memory.kept = 0


class DropsOnTop(ShufflerShoeDouble):
    """Lets the shuffled deck down upon the one that is being dealt."""

    def _drop(self) -> None:
        if self.inside and self._ready:
            self.inside += self.below
            self.below = []
            self.lift()
        super()._drop()


class LingersAtClose(StackShoe):
    """A driver that waits before it closes."""

    async def close(self) -> None:
        await asyncio.sleep(3)
        await super().close()


class TalksAfterClose(StackShoe):
    """A driver that yields on when it was closed."""

    async def readings(self) -> AsyncGenerator[contract.Event]:
        yield contract.Event(ShoeLoaded(53))


BROKEN_DRIVERS: dict[type[StackShoe], str] = {LingersAtClose: "close", TalksAfterClose: "close"}
"""Each with the line of the report on which it must fail, behind a sound device."""
BROKEN: dict[type[Any], str] = {
    IsNameless: "identity",
    MovesBeforeItIsAsked: "still",
    GoesAgain: "lost-answers",
    HearsDouble: "twice",
    ChokesOnLength: "otdp-long",
    KnowsNoOtherKind: "otdp-kind",
    BelievesQuestions: "otdp-query",
    DropsOnTop: "cycle",
    KeepsWhatItsHostSays: "otdp-kept",
    KeepsWhatItSent: "otdp-kept",
    ForgetsWhatWasKept: "otdp-kept",
    IgnoresTheCount: "absolute",
    MovesAgain: "repeat",
    ForgetsAtResume: "repeat-later",
    KeepsItsBoot: "restart",
    ForgetsItsMemory: "restart",
    CountsWrong: "count",
    SaysOneMore: "order",
    LosesWhatItAcks: "order",
    Floods: "calm",
    FloodsUnacknowledged: "patient",
    HasNoHeart: "otdp-heartbeat",
    AnswersAnybody: "otdp-nonce",
    NumbersAnew: "numbers",
    SaysItOnce: "again",
    SaysItAlways: "acknowledged",
    MovesWhenArmed: "otdp-armed",
    StaysArmed: "otdp-armed",
    RefusesEverything: "order",
    GivesAnotherSize: "order",
    KnowsEverything: "unseen",
    KnowsNothing: "known",
    SilentlyDoubtful: "restart-in-motion",
    TellsTheFace: "otdp-face",
    BelievesAnything: "otdp-crc",
    NeedsWholeFrames: "bytewise",
    DiesOfNoise: "noise",
    ObeysModems: "noise",
    StartsByItself: "order",
    TellsItTwice: "order",
    IsSomebodyElseNextTime: "identity-again",
    NakNothing: "otdp-unknown",
    ChangesItsStory: "numbers",
    NewMemoryAtHello: "identity-again",
    ChangesItsMind: "repeat",
    HearsNoAck: "listens",
    ClaimsItWasKept: "acknowledged",
    KeepsTheStub: "stub",
    StartsAnewAtHello: "otdp-hello",
    ReadsWhatItKnows: "otdp-unknown",
    ArmsTwo: "otdp-armed-once",
    RemembersAFew: "otdp-remembers",
    BootsFromZero: "identity",
    SeesAnew: "seen",
}
"""Each with the line of the report on which it must fail."""
