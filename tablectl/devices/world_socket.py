"""The way into the world from other processes: JSON lines on a unix socket.

A request is a :class:`~tablectl.devices.world.Deed` with an ``id``; its :class:`~tablectl.devices.world.Reply` carries
the same. News of what others did at the places that one watches come in between.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path

import msgspec

from tablectl.cards import Card
from tablectl.devices.world import (
    Act,
    Acted,
    Allow,
    Arrange,
    Deed,
    Impossible,
    Look,
    Move,
    Moved,
    News,
    Reply,
    Request,
    Show,
    Watch,
    World,
)
from tablectl.errors import LinkLost, WireError

_encoder = msgspec.json.Encoder()
_requests: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_replies: msgspec.json.Decoder[News | Reply] = msgspec.json.Decoder(News | Reply)


class _Guest:
    """One connection to the world."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.places: frozenset[str] = frozenset()
        self._writer = writer

    def tell(self, word: News | Reply) -> None:
        if not self._writer.is_closing():
            self._writer.write(_encoder.encode(word) + b"\n")

    def leave(self) -> None:
        self._writer.close()


class WorldServer:
    """Lets guests into a world; see :func:`serve`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._guests: set[_Guest] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()

    async def receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it is closed."""
        guest = _Guest(writer)
        self._guests.add(guest)
        try:
            while line := await reader.readline():
                self._begin(guest, line)
        except (ConnectionError, asyncio.CancelledError):
            pass  # the guest left, or the world ends: either way there is nobody to tell
        finally:
            self._guests.discard(guest)
            guest.leave()

    def _begin(self, guest: _Guest, line: bytes) -> None:
        try:
            request = _requests.decode(line)
        except msgspec.DecodeError as error:
            guest.tell(Reply(0, error=f"no request: {error}"))
            return
        if isinstance(request, Move) and request.wait:
            task = asyncio.create_task(self._move_in_time(guest, request), name="wait for cards")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._serve(guest, request)

    async def _move_in_time(self, guest: _Guest, move: Move) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(move.wait), self._changed:
                await self._changed.wait_for(lambda: self._possible(guest, move))
        self._serve(guest, move)

    def _possible(self, guest: _Guest, move: Move) -> bool:
        return self.world.can_move(move.source, move.count, owner=move.source in guest.places)

    def _serve(self, guest: _Guest, request: Request) -> None:
        try:
            guest.tell(self._do(guest, request))
        except Impossible as error:
            guest.tell(Reply(request.id, error=str(error)))

    def _do(self, guest: _Guest, request: Request) -> Reply:
        world = self.world
        match request:
            case Move(source=source, to=to, count=count):
                cards = world.move(source, to, count, owner=source in guest.places)
                self._spread(Moved(source, to, cards), {source, to}, guest)
                return Reply(request.id, cards=cards)
            case Act(place=place, act=act):
                self._spread(Acted(place, act), {place}, guest)
            case Arrange(place=place, cards=cards):
                world.arrange(place, cards)
            case Allow(place=place, count=count):
                world.allow(place, count)
                self._wake()
            case Show(place=place, roll=roll):
                world.show(place, roll)
            case Look(place=place):
                return Reply(request.id, cards=world.cards(place), roll=world.roll(place))
            case Watch(places=places):
                guest.places = frozenset(places)
                return Reply(request.id, piles={place: world.cards(place) for place in places})
        return Reply(request.id)

    def _spread(self, news: News, places: set[str], origin: _Guest) -> None:
        for guest in self._guests:
            if guest is not origin and guest.places & places:
                guest.tell(news)
        self._wake()

    def _wake(self) -> None:
        """Let those who wait look again."""
        task = asyncio.create_task(self._notify(), name="the world changed")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def close(self) -> None:
        """Let nobody wait any longer, and send everybody home."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for guest in self._guests:
            guest.leave()


@contextlib.asynccontextmanager
async def serve(world: World, path: Path) -> AsyncGenerator[WorldServer]:
    """Let guests into the world through a unix socket at path, until left."""
    server = WorldServer(world)
    _clear(path)
    listener = await asyncio.start_unix_server(server.receive, path)
    try:
        yield server
    finally:
        listener.close()
        await server.close()
        _clear(path)


def _clear(path: Path) -> None:
    path.unlink(missing_ok=True)


class WorldClient:
    """A guest of the world: a double, or a bot that plays people. Made by :func:`enter`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._news: asyncio.Queue[News | None] = asyncio.Queue()
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Reply]] = {}

    async def move(self, source: str, to: str, count: int | None = None, wait: float = 10) -> tuple[Card, ...]:
        """Move cards off the top of a pile, the whole pile without count, and return them.

        Raises:
            Impossible: not so many cards, or a lock holds them, for all the seconds of wait.
        """
        return (await self.do(Move(source=source, to=to, count=count, wait=wait))).cards

    async def act(self, place: str, act: str) -> None:
        """Do something with a device, ``lift-lid`` for example."""
        await self.do(Act(place=place, act=act))

    async def look(self, place: str) -> Reply:
        """See the cards, and the dice, at a place."""
        return await self.do(Look(place=place))

    async def watch(self, places: Iterable[str]) -> dict[str, tuple[Card, ...]]:
        """Own these places, hear what others do there, and return what lies there."""
        return (await self.do(Watch(places=tuple(places)))).piles

    async def hear(self) -> News:
        """Return the next thing that others did at the places watched.

        Raises:
            LinkLost: the world has ended.
        """
        if (news := await self._news.get()) is None:
            self._news.put_nowait(None)
            raise LinkLost("world-ended")
        return news

    async def do(self, deed: Deed) -> Reply:
        """Do something and return what came of it.

        Raises:
            Impossible: it cannot be done, and nothing changed.
            LinkLost: the world has ended.
        """
        number = next(self._ids)
        reply = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._writer.write(_encoder.encode(msgspec.structs.replace(deed, id=number)) + b"\n")
        try:
            answer: Reply = await reply
        finally:
            del self._waiting[number]
        if answer.error:
            raise Impossible(answer.error)
        return answer

    async def listen(self) -> None:
        """Read the socket until the world ends."""
        try:
            while line := await self._reader.readline():
                self._take(line)
        except ConnectionError:
            pass  # the same end, said in another way
        finally:
            self._writer.close()
            self._news.put_nowait(None)
            for reply in self._waiting.values():
                if not reply.done():
                    reply.set_exception(LinkLost("world-ended"))

    def _take(self, line: bytes) -> None:
        try:
            word = _replies.decode(line)
        except msgspec.DecodeError as error:
            raise WireError(f"the world said {line!r}: {error}") from error
        if not isinstance(word, Reply):
            self._news.put_nowait(word)
        elif word.id in self._waiting and not self._waiting[word.id].done():
            self._waiting[word.id].set_result(word)


@contextlib.asynccontextmanager
async def enter(path: Path) -> AsyncGenerator[WorldClient]:
    """Enter the world behind a unix socket, until left.

    Raises:
        LinkLost: there is no world.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(path, limit=2**20)
    except OSError as error:
        raise LinkLost("no-world", f"{path}: {error.strerror or error}") from error
    client = WorldClient(reader, writer)
    listening = asyncio.create_task(client.listen(), name="listen to the world")
    try:
        yield client
    finally:
        listening.cancel()
        await asyncio.wait([listening])
