/** The pit display: hears the stream, keeps the board, draws the page. */

import { fit } from "./fit.js";
import { focusView } from "./focus.js";
import { h, patch } from "./patch.js";
import { listen } from "./stream.js";
import { noticesOf, tile } from "./tile.js";
import { capital, clock, humanise, plural, waiting } from "./words.js";

/** Width over height at which a tile reads best. */
const SHAPE = 1.35;

const bar = document.getElementById("bar");
const main = document.getElementById("board");
const drawn = new Map();
let board = { site: "", pit: "", link: { up: false, reason: "not connected yet" }, tables: {} };
let stream = { up: false, since: new Date().toISOString() };
let due = false;

listen("/events", {
  board(whole) {
    board = whole;
    stream = { up: true };
    drawn.clear();
    redraw();
  },
  part({ table, part, value }) {
    if (!table) board[part] = value;
    else if (part === "gone") delete board.tables[table];
    else (board.tables[table] ??= {})[part] = value;
    drawn.delete(table);
    redraw();
  },
  lost() {
    if (!stream.up) return;
    stream = { up: false, since: new Date().toISOString() };
    drawn.clear();
    redraw();
  },
});
addEventListener("hashchange", () => {
  scrollTo(0, 0);
  redraw();
});
addEventListener("resize", () => {
  drawn.clear();
  redraw();
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") location.hash = "";
});
setInterval(() => {
  drawBar();
  drawWaits();
}, 1000);
redraw();

/** Draw at the next frame, however often it is asked for. */
function redraw() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    drawBoard();
    drawBar();
  });
}

function drawBoard() {
  const ids = Object.keys(board.tables).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  const focused = ids.find((id) => `#${id}` === location.hash);
  main.className = focused ? "focused" : "grid";
  if (focused) {
    delete main.dataset.shape;
    patch(main, focusView(focused, seen(focused)));
    return fit(main.querySelectorAll(".tile"));
  }
  arrange(ids.length);
  const changed = ids.filter((id) => !drawn.has(id));
  patch(main, ids.length ? ids.map(tileOf) : [h("p", { class: "hint", role: "status" }, emptyWords())]);
  fit(changed.map((id) => main.querySelector(`[data-table="${id}"]`)));
}

/** Lay out the grid; when tiles change their size, all are drawn and fitted anew. */
function arrange(count) {
  const columns = columnsFor(count);
  const shape = `${columns} ${Math.ceil(count / columns)}`;
  if (shape === main.dataset.shape) return;
  main.dataset.shape = shape;
  main.style.setProperty("--columns", columns);
  main.style.setProperty("--rows", Math.ceil(count / columns));
  drawn.clear();
}

/** Keep the description of a tile until something of its table changes. */
function tileOf(id) {
  if (!drawn.has(id)) drawn.set(id, tile(id, seen(id)));
  return drawn.get(id);
}

/** Show no table as live while this page itself hears nothing. */
function seen(id) {
  const table = board.tables[id];
  if (stream.up || table.silent) return table;
  return { ...table, silent: { since: stream.since, reason: "this page has lost the display's server" } };
}

/** Choose the columns that make the tiles largest. */
function columnsFor(count) {
  const sizes = Array.from({ length: Math.max(count, 1) }, (_, index) => {
    const columns = index + 1;
    return Math.min(main.clientWidth / columns / SHAPE, main.clientHeight / Math.ceil(count / columns));
  });
  return sizes.indexOf(Math.max(...sizes)) + 1;
}

function drawBar() {
  const tables = Object.keys(board.tables);
  const silent = tables.filter((id) => seen(id).silent).length;
  const calling = tables.filter((id) => noticesOf(seen(id)).some(({ tone }) => tone !== "silent")).length;
  document.title = board.pit ? `${calling ? `(${calling}) ` : ""}${board.pit} · ${board.site}` : "Pit display";
  patch(bar, [
    h("h1", null, board.pit ? humanise(board.pit) : "Pit", h("small", null, board.site)),
    main.className === "focused" && h("a", { class: "back", href: "#" }, "‹ All tables"),
    h(
      "p",
      { class: "tally" },
      h("span", null, plural(tables.length, "table")),
      calling > 0 && h("b", { class: "calling" }, `! ${calling} ${calling === 1 ? "needs" : "need"} attention`),
      silent > 0 && h("b", { class: "silent" }, `${silent} silent`),
    ),
    h("p", { class: "seen" }, "Seen from the pit: position 1 at the dealer’s left"),
    h("p", { class: "link", role: "status", "data-up": stream.up && board.link.up ? "yes" : "no" }, linkWords()),
    h("time", { class: "now" }, new Date().toLocaleTimeString("en-GB")),
  ]);
}

/** Let the waiting times of calls go on between two messages. */
function drawWaits() {
  for (const wait of main.querySelectorAll(".waiting")) wait.firstChild.data = waiting(wait.dateTime);
}

function emptyWords() {
  return board.link.up ? "No table of this pit has been heard yet." : capital(board.link.reason);
}

function linkWords() {
  if (!stream.up) return `No server since ${clock(stream.since)}`;
  return board.link.up ? "Live" : `No broker since ${clock(board.link.since)}`;
}
