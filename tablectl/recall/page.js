// Shows each round as it stood after a step: what came later is hidden, what was gone by then is back.
"use strict";

for (const round of document.querySelectorAll("article")) {
  const steps = Number(round.dataset.steps);
  const player = round.querySelector(".player");
  const slider = player.querySelector("input");
  const caption = player.querySelector(".caption");
  const play = player.querySelector("[data-go=play]");
  const lines = [...round.querySelectorAll(".story > li")];
  const timed = [...round.querySelectorAll("[data-from], [data-to]")];
  let at = steps;
  let timer = 0;

  function show(step) {
    at = Math.min(Math.max(step, 1), steps);
    for (const part of timed) {
      const { from, to } = part.dataset;
      part.classList.toggle("away", at < Number(from ?? 0) || at >= Number(to ?? Infinity));
    }
    lines.forEach((line, index) => {
      line.classList.toggle("now", index + 1 === at);
      line.classList.toggle("later", index + 1 > at);
    });
    slider.value = at;
    const [time, text] = ["time", ".text"].map((name) => lines[at - 1].querySelector(name).textContent);
    caption.textContent = `${time}  ${text}`;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function start() {
    if (at === steps) show(1);
    play.textContent = "Pause";
    timer = setInterval(() => (at === steps ? stop() : show(at + 1)), 700);
  }

  const moves = { first: () => 1, back: () => at - 1, on: () => at + 1, last: () => steps };
  player.addEventListener("click", (event) => {
    const go = event.target.dataset?.go;
    if (go === "play") timer ? stop() : start();
    else if (go) {
      stop();
      show(moves[go]());
    }
  });
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  round.querySelector(".story").addEventListener("click", (event) => {
    const line = event.target.closest("li");
    if (line) {
      stop();
      show(Number(line.dataset.step));
    }
  });

  slider.min = 1;
  slider.max = steps;
  player.hidden = false;
  round.classList.add("live");
  show(steps);
}
