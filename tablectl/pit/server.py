"""The web side of the display: one page, its static files, and one stream of server-sent events."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import structlog
from aiohttp import web

from tablectl.errors import ConfigError
from tablectl.pit.board import Board, Key
from tablectl.pit.listener import listen, now
from tablectl.publisher.broker import Address

STATIC = Path(__file__).parent / "static"
BEAT = 1.0
"""Seconds between signs of life: a page that misses several no longer shows anything as live."""

BREATH = 0.05
"""Seconds in which changes gather, so that a page is redrawn at most twenty times a second."""

STUCK = 10.0
"""Seconds after which a page that takes nothing is let go; it comes back by itself."""

MOST_PAGES = 64

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

log = structlog.get_logger(__name__)


class Feed:
    """What one page has not been sent yet: keys only, so that a slow page gets the latest and memory stays flat."""

    def __init__(self) -> None:
        self._due: dict[Key, None] = {}
        self._awake = asyncio.Event()
        self.closed = False

    def touch(self, key: Key) -> None:
        """Note that this key changed."""
        self._due[key] = None
        self._awake.set()

    def close(self) -> None:
        """End the feed."""
        self.closed = True
        self._awake.set()

    async def due(self, within: float) -> tuple[Key, ...]:
        """Return the keys that changed, in order; none if nothing changed within so many seconds."""
        try:
            async with asyncio.timeout(within):
                await self._awake.wait()
            await asyncio.sleep(BREATH)
        except TimeoutError:
            return ()
        keys = tuple(self._due)
        self._due.clear()
        self._awake.clear()
        return keys


class Pages:
    """The pages that look at one board."""

    def __init__(self, site: str, pit: str) -> None:
        self.board = Board(site, pit, self._touch, now())
        self._feeds: list[Feed] = []

    @contextmanager
    def feed(self) -> Iterator[Feed]:
        """Open a feed for one page.

        Raises:
            web.HTTPServiceUnavailable: too many pages look already.
        """
        if len(self._feeds) >= MOST_PAGES:
            raise web.HTTPServiceUnavailable(text=f"{MOST_PAGES} pages are open already, no more are served\n")
        feed = Feed()
        self._feeds.append(feed)
        try:
            yield feed
        finally:
            self._feeds.remove(feed)

    def close(self) -> None:
        """End every feed."""
        for feed in self._feeds:
            feed.close()

    def _touch(self, key: Key) -> None:
        for feed in self._feeds:
            feed.touch(key)


PAGES = web.AppKey("pages", Pages)


def application(pages: Pages) -> web.Application:
    """Return the web application for these pages."""
    app = web.Application()
    app[PAGES] = pages
    app.on_response_prepare.append(_add_headers)
    app.on_shutdown.append(_close_feeds)
    app.router.add_get("/", _page)
    app.router.add_get("/events", _events)
    app.router.add_static("/static", STATIC)
    return app


async def serve(broker: Address, *, site: str, pit: str, host: str = "127.0.0.1", port: int = 8080) -> None:
    """Serve the pit display until cancelled.

    Raises:
        ConfigError: the address cannot be listened on.
    """
    pages = Pages(site, pit)
    async with _site(pages, host, port):
        await listen(broker, pages.board)


@asynccontextmanager
async def running(
    broker: Address, *, site: str, pit: str, host: str = "127.0.0.1", port: int = 8080
) -> AsyncIterator[str]:
    """Serve the pit display while the context is open and give its URL; port 0 takes a free one.

    Raises:
        ConfigError: as :func:`serve`.
    """
    pages = Pages(site, pit)
    async with _site(pages, host, port) as url:
        ear = asyncio.create_task(listen(broker, pages.board), name="pit listener")
        try:
            yield url
        finally:
            ear.cancel()
            await asyncio.wait([ear])
            if not ear.cancelled():
                ear.result()


@asynccontextmanager
async def _site(pages: Pages, host: str, port: int) -> AsyncIterator[str]:
    runner = web.AppRunner(application(pages), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await _bind(runner, host, port)
        url = f"http://{f'[{host}]' if ':' in host else host}:{runner.addresses[0][1]}/"
        log.info("pit.serving", url=url, site=pages.board.site, pit=pages.board.pit)
        yield url
    finally:
        await runner.cleanup()


async def _bind(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror}") from error


async def _add_headers(_: web.Request, response: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


async def _close_feeds(app: web.Application) -> None:
    app[PAGES].close()


async def _page(_: web.Request) -> web.FileResponse:
    return web.FileResponse(STATIC / "index.html")


async def _events(request: web.Request) -> web.StreamResponse:
    pages = request.app[PAGES]
    with pages.feed() as feed:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        try:
            await _stream(response, pages.board, feed)
        except (ConnectionError, TimeoutError):
            log.info("page.left", peer=request.remote)
        return response


async def _stream(response: web.StreamResponse, board: Board, feed: Feed) -> None:
    """Send the whole board, then each change, and a beat when there is none."""
    await response.write(b"retry: 1000\n\n")
    await _send(response, "board", board.whole())
    while not feed.closed:
        keys = await feed.due(BEAT)
        for table, part in keys:
            await _send(response, "part", {"table": table, "part": part, "value": board.part((table, part))})
        if not keys:
            await _send(response, "beat", now())


async def _send(response: web.StreamResponse, event: str, data: Any) -> None:
    async with asyncio.timeout(STUCK):
        await response.write(b"event: %s\ndata: %s\n\n" % (event.encode(), msgspec.json.encode(data)))
