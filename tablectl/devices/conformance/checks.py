"""The claims that every driver's device must keep, in the order in which they are tried."""

from tablectl.devices.conformance import memory, opening, orders
from tablectl.devices.conformance.check import Check

CHECKS = (
    Check("identity", "it says who it is in five seconds: model, serial, boot and kind", opening.identity),
    Check("identity-again", "it says the same at the next opening", opening.identity_again),
    Check("close", "the driver closes at once, at any time", opening.close),
    Check("still", "opening it moves nothing", opening.still),
    Check("calm", "it shows that it lives, and does not chatter", opening.calm),
    Check("noise", "noise and a modem manager's words move nothing and keep nobody out", opening.noise),
    Check("bytewise", "frames that come byte by byte are frames", opening.bytewise),
    Check("order", "an order is carried out as ordered, and its end is told once", orders.order),
    Check("count", "what it says it holds is what went in less what came out", orders.count),
    Check("repeat", "the same command again moves nothing and ends as before", orders.repeat),
    Check("repeat-later", "nor after the link was opened anew", orders.repeat_later),
    Check("lost-answers", "a command whose answer was lost moves it once", orders.lost_answers),
    Check("twice", "frames that come twice move it once", orders.twice),
    Check("again", "an event that nobody kept comes again, with the same boot and number", memory.again),
    Check("acknowledged", "an event that was acknowledged never comes again", memory.acknowledged),
    Check("listens", "nor does it go on sending it while the host is there", memory.listens),
    Check("unseen", "a command that it never saw is told as such, or is a doubt if it cannot know", memory.unseen),
    Check("known", "a command that it carried out is told as such", memory.known),
    Check("absolute", "a stack is refused when the count is not the one awaited", orders.absolute),
    Check("patient", "it does not flood a host that acknowledges nothing", memory.patient),
    Check("restart", "after a reset its boot is another, and its commands are still known", memory.restart),
    Check(
        "restart-in-motion", "a command in whose motion the power failed has exactly one end", memory.restart_in_motion
    ),
    Check("stub", "the rest of the deck comes out as ordered, and is counted", orders.stub),
    Check("numbers", "no number is given to two events", memory.numbers),
)
