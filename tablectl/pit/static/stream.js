/** The stream of server-sent events: the whole board first, then what changes; it comes back by itself. */

const PATIENCE = 4000;
const PAUSE = 1000;

/** Listen for ever. handlers: `board`, `part` with the data of each, and `lost` when nothing was heard for too long. */
export function listen(url, handlers) {
  let source, watchdog;

  function open() {
    source = new EventSource(url);
    source.addEventListener("board", (event) => take(handlers.board, event));
    source.addEventListener("part", (event) => take(handlers.part, event));
    source.addEventListener("beat", wait);
    source.addEventListener("error", reopenIfClosed);
    wait();
  }

  function take(handler, event) {
    wait();
    handler(JSON.parse(event.data));
  }

  function wait() {
    clearTimeout(watchdog);
    watchdog = setTimeout(lose, PATIENCE);
  }

  // A browser reconnects by itself after a broken connection, but gives up after a refusal or a stream gone dumb.
  function reopenIfClosed() {
    handlers.lost();
    if (source.readyState === EventSource.CLOSED) reopen();
  }

  function lose() {
    handlers.lost();
    reopen();
  }

  function reopen() {
    source.close();
    clearTimeout(watchdog);
    watchdog = setTimeout(open, PAUSE);
  }

  open();
}
