"""Three dice name the starting position."""

from tablectl.dice import Roll, counting_position
from tablectl.events.announcements import AnnounceTotal, NoRoll
from tablectl.events.codec import Input
from tablectl.events.facts import DiceNoRoll, DiceRolled, DiceStart, RollDue, RoundStepAwaited
from tablectl.events.readings import ShakerLidClosed, ShakerLidOpened, ShakerRolled, ShakerShaken
from tablectl.script import DEALER, RollDice
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Refused

LEAST, MOST = 3, 18


class Rolling(Procedure[RollDice]):
    """Shakes until three flat dice were announced; the dealer's "No roll" stands over any sensor."""

    shaken = 0
    lid_open = False
    roll: Roll | None = None
    command = ""
    start = ""

    def advance(self) -> object:
        """Have the dice shaken; answer with the hand that starts."""
        if self.start:
            return self.start
        device = self._shaker
        at_rest = not (self.roll or self.shaken or self.lid_open)
        if device and at_rest and self.command not in self.table.commands:
            self.command = self.table.new_command()
            self.table.order(RollDue(self.command, device, self.step.shakes))
        return WAIT

    @property
    def _shaker(self) -> str:
        return "" if self.step.generator else self.table.device("shaker")

    def take(self, said: Input) -> bool:
        """Take the shakes, the dice and the calls."""
        match said.body:
            case ShakerShaken(times=times):
                self.table.end(self.command)
                self.shaken = times
            case ShakerRolled(roll=roll):
                self._rolled(roll, said.source)
            case ShakerLidOpened():
                self.lid_open = True
            case ShakerLidClosed():
                self.lid_open = False
            case AnnounceTotal(total=total):
                self._announce(total)
            case NoRoll(reason=reason) if not self.step.generator:
                self._no_roll(reason or "called by the dealer")
            case _:
                return False
        return True

    def _rolled(self, roll: Roll, device: str) -> None:
        self.table.end(self.command)
        self.table.tell(DiceRolled(roll, device))
        if self.shaken < self.step.shakes:
            self._no_roll(f"shaken {self.shaken} times, at least {self.step.shakes} are due")
        elif not roll.flat:
            self._no_roll(f"the dice show {roll}")
        else:
            self.roll = roll

    def _no_roll(self, reason: str) -> None:
        self.table.tell(DiceNoRoll(reason, self.step.no_roll.cites))
        self.shaken, self.roll = 0, None

    def _announce(self, total: int | None) -> None:
        read = self.roll.total if self.roll else None
        cites = self.step.clause.cites
        if read is None and self._shaker and not self.table.is_offline("shaker"):
            raise Refused("dice", "three flat dice", "the shaker has read no valid roll yet", cites)
        if read is not None and total not in (None, read):
            raise Refused("dice", f"{read}, or “No roll”", f"the shaker read {self.roll}, which is {read}", cites)
        total = read if total is None else total
        places = self._places()
        least, most = (1, len(places)) if self.step.generator else (LEAST, MOST)
        if total is None or not least <= total <= most:
            source = "the generator never shows" if self.step.generator else "three dice never total"
            raise Refused("dice", f"a total from {least} to {most}", f"{source} {total}", cites)
        count = counting_position(total, places=len(places))
        self.start = places[(places.index(self.step.first) + 1 - count) % len(places)]
        self.table.tell(DiceStart(total, count, self.start, cites))

    def _places(self) -> list[str]:
        """Return every place clockwise, wager or not, the dealer's last; the count runs against it."""
        return [*self.round.layout.all_hands, DEALER]

    def awaited(self) -> RoundStepAwaited:
        """Say whether the dice move or wait for their announcement."""
        cites = self.step.clause.cites
        if self.roll or not self._shaker:
            shake = "Shake three times, announce the total."
            prompt = f"Announce the dice: {self.roll.total}." if self.roll else shake
            prompt = "Announce the number of the generator." if self.step.generator else prompt
            return RoundStepAwaited("roll", "dealer", prompt, AnnounceTotal.name(), clause=cites)
        prompt = "Lift the lid." if self.shaken >= self.step.shakes else "The dice are being shaken."
        if self.lid_open and not self.shaken:
            prompt = "Put the lid on: the dice are shaken again."
            return RoundStepAwaited("roll", "dealer", prompt, what="cover", clause=cites)
        return RoundStepAwaited("roll", "device", prompt, clause=cites)
