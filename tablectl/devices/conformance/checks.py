"""The claims that every driver's device must keep, in the order in which they are tried."""

from tablectl.devices.conformance import memory, opening, orders
from tablectl.devices.conformance.check import Check
from tablectl.devices.conformance.cycle import cycle
from tablectl.devices.conformance.seen import seen

CHECKS = (
    Check("identity", "it says who it is in five seconds: model, serial, boot and kind", opening.identity),
    Check("identity-again", "it says the same at the next opening", opening.identity_again),
    Check("close", "the driver closes at once, at any time", opening.close),
    Check("still", "opening it moves nothing", opening.still, each_kind=True),
    Check("calm", "it shows that it lives, and does not chatter", opening.calm),
    Check("noise", "noise and a modem manager's words move nothing and keep nobody out", opening.noise),
    Check("bytewise", "frames that come byte by byte are frames", opening.bytewise, each_kind=True),
    Check("order", "an order is carried out as ordered, and its end is told once", orders.order, each_kind=True),
    Check("count", "what it says it holds is what went in less what came out", orders.count, each_kind=True),
    Check("repeat", "the same command again moves nothing and ends as before", orders.repeat, each_kind=True),
    Check("repeat-later", "nor after the link was opened anew", orders.repeat_later, each_kind=True),
    Check("lost-answers", "a command whose answer was lost moves it once", orders.lost_answers, each_kind=True),
    Check("twice", "frames that come twice move it once", orders.twice, each_kind=True),
    Check(
        "again", "an event that nobody kept comes again, with the same boot and number", memory.again, each_kind=True
    ),
    Check("acknowledged", "an event that was acknowledged never comes again", memory.acknowledged),
    Check("listens", "nor does it go on sending it while the host is there", memory.listens),
    Check(
        "unseen",
        "a command that it never saw is told as such, or is a doubt if it cannot know",
        memory.unseen,
        each_kind=True,
    ),
    Check("known", "a command that it carried out is told as such", memory.known, each_kind=True),
    Check("absolute", "a stack is refused when the count is not the one awaited", orders.absolute, each_kind=True),
    Check("patient", "it does not flood a host that acknowledges nothing", memory.patient, each_kind=True),
    Check(
        "restart", "after a reset its boot is another, and its commands are still known", memory.restart, each_kind=True
    ),
    Check(
        "restart-in-motion",
        "a command in whose motion the power failed has exactly one end",
        memory.restart_in_motion,
        each_kind=True,
    ),
    Check("stub", "the rest of the deck comes out as ordered, and is counted", orders.stub),
    Check("cycle", "one deck is dealt while another is shuffled, which follows it into the shoe", cycle),
    Check("seen", "a card that it saw is told until it is kept, and no longer", seen),
    Check("numbers", "no number is given to two events", memory.numbers),
)
