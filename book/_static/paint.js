"use strict";
// Painting: on an image of a figure, where the page runs in this browser. What was painted becomes an option, and the page's own
// program draws the figure anew, up to the end of the figure (--until).
(() => {
  const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  function make(name, attributes, text = "") {
    return Object.assign(document.createElement(name), attributes, { textContent: text });
  }

  // All data sets of a specification, by their names.
  function datasets(spec) {
    const inside = [...(spec.layer ?? []), ...(spec.concat ?? [])].flatMap((part) => [...datasets(part)]);
    return new Map([...(spec.data?.name ? [[spec.data.name, spec.data.values]] : []), ...inside]);
  }

  function paintable(view, spec, live) {
    const { name, canvas } = spec.usermeta.recto;
    const box = document.querySelector(".rx-here[data-page]");
    if (!box || !window.recto_runner || live.closest(".rx-results")) return;
    const runner = new window.recto_runner(JSON.parse(box.dataset.page));
    const image = spec.concat[canvas.panel].layer[0].data;
    const original = image.values.map((row) => ({ ...row }));
    const wide = new Set(original.map((row) => row.column)).size, high = original.length / wide;
    const digit = (value) => Math.round(9 * Math.min(Math.max((value - canvas.low) / (canvas.high - canvas.low), 0), 1));
    let cells = original.map((row) => digit(row.value)), painted = false, running = false, again = false;

    const status = make("span", { className: "rx-painted", role: "status" }, "or paint on the image");
    const erase = make("button", { type: "button" }, "erase"), clear = make("button", { type: "button" }, "clear"),
      back = make("button", { type: "button" }, "back to the image");
    erase.setAttribute("aria-pressed", false);
    const bar = make("div", { className: "rx-paint" });
    bar.append(status, erase, clear, back);
    live.append(bar);

    const values = () => original.map((row, i) =>
      ({ ...row, value: painted ? canvas.low + cells[i] / 9 * (canvas.high - canvas.low) : row.value }));
    async function draw(by_hand) {
      painted = by_hand;
      view.data(image.name, values()).run();
      again = true;
      if (running) return;
      running = true;
      while (again) {
        again = false;
        let told = "";
        const words = [`--until=${name}`, ...(painted ? [`${canvas.option}=${cells.join("")}`] : [])];
        const { status: code, written } = await runner.run(words,
          (stream, text) => { if (stream === 2) told += text; }, () => {});
        const file = written.find(([path]) => path === `/out/${name}.vl.json`);
        status.textContent = code || !file ? told.trim() || "The program ended with an error." : "or paint on the image";
        if (!file || again) continue;
        for (const [data, rows] of datasets(JSON.parse(new TextDecoder().decode(file[1]))))
          if (data !== image.name) view.data(data, rows);
        await view.runAsync();
      }
      running = false;
    }

    // A stroke is two cells wide, and each cell is set once.
    function touch(row, column) {
      const value = erase.getAttribute("aria-pressed") === "true" ? 0 : 9;
      let changed = false;
      for (const [r, c] of [[row, column], [row + 1, column], [row, column + 1], [row + 1, column + 1]]) {
        if (r < 0 || c < 0 || r >= high || c >= wide || cells[r * wide + c] === value) continue;
        cells[r * wide + c] = value;
        changed = true;
      }
      if (changed) draw(true);
    }
    erase.addEventListener("click", () => erase.setAttribute("aria-pressed", erase.getAttribute("aria-pressed") !== "true"));
    clear.addEventListener("click", () => { cells.fill(0); draw(true); });
    back.addEventListener("click", () => { cells = original.map((row) => digit(row.value)); draw(false); });

    // What takes the pointer and the keys lies over the panel.
    const glass = make("div", { className: "rx-glass", tabIndex: 0 }), mark = make("i", {});
    glass.setAttribute("role", "application");
    glass.setAttribute("aria-label", "The image: arrow keys move the brush, the space bar paints");
    glass.append(mark);
    live.append(glass);
    const at = [high / 2 | 0, wide / 2 | 0];
    function place() {
      const panel = live.querySelector(`.concat_${canvas.panel}_group .background`).getBoundingClientRect(),
        home = live.getBoundingClientRect();
      Object.assign(glass.style, { left: `${panel.left - home.left}px`, top: `${panel.top - home.top}px`,
        width: `${panel.width}px`, height: `${panel.height}px` });
      Object.assign(mark.style, { left: `${100 * at[1] / wide}%`, top: `${100 * at[0] / high}%`, width: `${200 / wide}%`,
        height: `${200 / high}%` });
    }
    new ResizeObserver(place).observe(live);
    const cell = (event) => {
      const panel = glass.getBoundingClientRect();
      return [(event.clientY - panel.top) / panel.height * high - .5, (event.clientX - panel.left) / panel.width * wide - .5].map(Math.floor);
    };
    let last;                                                           // where the stroke has come
    glass.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      glass.setPointerCapture(event.pointerId);
      last = cell(event);
      touch(...last);
      event.preventDefault();
    });
    glass.addEventListener("pointermove", (event) => {
      if (!last) return;
      const next = cell(event), steps = Math.max(Math.abs(next[0] - last[0]), Math.abs(next[1] - last[1]));
      for (let n = 1; n <= steps; ++n) touch(...last.map((from, i) => Math.round(from + (next[i] - from) * n / steps)));
      last = next;
    });
    for (const end of ["pointerup", "pointercancel"]) glass.addEventListener(end, () => { last = undefined; });
    glass.addEventListener("keydown", (event) => {
      if (event.key === " ") touch(...at);
      else if (KEYS[event.key]) KEYS[event.key].forEach((step, i) => { at[i] = Math.min(Math.max(at[i] + step, 0), [high, wide][i] - 2); });
      else return;
      event.preventDefault();
      event.stopPropagation();                                          // elsewhere an arrow key turns the page
      place();
    });
  }

  window.recto_paintable = paintable;                                   // live.js calls it
})();
