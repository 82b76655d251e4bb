"use strict";
// Figures that the page's own program draws while they are touched, where it runs in this browser: a slider stops anywhere between
// its ends, a reader paints on an image or drags a dot, or several sliders set one option each. The page runs up to the end of the
// figure (--until).
(() => {
  const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const BETWEEN = 15;                                                   // places from one stop of a slider to the next

  function make(name, attributes, text = "") {
    return Object.assign(document.createElement(name), attributes, { textContent: text });
  }

  // All data sets of a specification, by their names.
  function datasets(spec) {
    const inside = [...(spec.layer ?? []), ...(spec.concat ?? [])].flatMap((part) => [...datasets(part)]);
    return new Map([...(spec.data?.name ? [[spec.data.name, spec.data.values]] : []), ...inside]);
  }

  // What a reader paints: an image of digits, in the place of a heat map.
  class Canvas {
    constructor({ option, panel, low, high }, spec) {
      Object.assign(this, { option, panel, low, high, data: spec.concat[panel].layer[0].data.name, painted: false });
      this.original = spec.concat[panel].layer[0].data.values.map((row) => ({ ...row }));
      this.wide = new Set(this.original.map((row) => row.column)).size;
      this.tall = this.original.length / this.wide;
      this.restore();
    }
    restore() {
      const share = (value) => Math.min(Math.max((value - this.low) / (this.high - this.low), 0), 1);
      this.cells = this.original.map((row) => Math.round(9 * share(row.value)));
      this.painted = false;
    }
    fill(value) {
      this.cells.fill(value);
      this.painted = true;
    }
    // A stroke is two cells wide. Whether it changed anything.
    touch([row, column], value) {
      let changed = false;
      for (const [r, c] of [[row, column], [row + 1, column], [row, column + 1], [row + 1, column + 1]]) {
        if (r < 0 || c < 0 || r >= this.tall || c >= this.wide || this.cells[r * this.wide + c] === value) continue;
        this.cells[r * this.wide + c] = value;
        changed = this.painted = true;
      }
      return changed;
    }
    words() { return this.painted ? [`${this.option}=${this.cells.join("")}`] : []; }
    rows() {
      const value = (row, i) => (this.painted ? this.low + this.cells[i] / 9 * (this.high - this.low) : row.value);
      return this.original.map((row, i) => ({ ...row, value: value(row, i) }));
    }
  }

  // Sliders of options for which nothing is drawn ahead. What they say stands in the address of the page.
  class Knobs {
    constructor(all, figure) {
      const [name, said = ""] = decodeURIComponent(location.hash.slice(1)).split("="), given = said.split(",").map(Number);
      this.asked = name === figure.id && given.length === all.length && given.every(Number.isInteger);
      this.all = all.map((knob, i) => ({ ...knob, range: make("input", { type: "range", min: knob.least, max: knob.most,
        value: this.asked ? given[i] : knob.value }) }));
      this.figure = figure;
    }
    words() { return this.all.map(({ option, range }) => `${option}=${range.value}`); }
    put(live, changed) {
      const box = make("div", { className: "rx-knobs" });
      let soon = 0;
      for (const { label, range } of this.all) {
        const line = make("label", {}, label), shown = make("span", {}, range.value);
        line.append(range, shown);
        box.append(line);
        range.addEventListener("input", () => {
          shown.textContent = range.value;
          clearTimeout(soon);
          soon = setTimeout(() => history.replaceState(null, "",
            `#${this.figure.id}=${this.all.map((knob) => knob.range.value).join(",")}`), 400);
          changed();
        });
      }
      live.append(box);
      this.figure.classList.add("has-live");
      if (this.asked) changed();
    }
  }

  // A dot that a reader drags in its panel.
  class Handle {
    constructor({ options, at, low, high, panel }) {
      Object.assign(this, { options, at: [...at], low, high, panel, moved: false });
    }
    words() { return this.moved ? this.options.map((option, i) => `${option}=${this.at[i].toFixed(4)}`) : []; }
    move(to) {
      this.at = to.map((value, i) => Math.min(Math.max(value, this.low[i]), this.high[i]));
      this.moved = true;
    }
    put(live, changed) {
      const glass = make("div", { className: "rx-glass rx-handle", tabIndex: 0 }), mark = make("i", {});
      const hint = make("span", { className: "rx-drag" }, "drag the red dot");
      glass.setAttribute("role", "application");
      glass.setAttribute("aria-label", "The red dot: arrow keys move it");
      glass.append(mark);
      live.append(hint, glass);
      live.closest("figure").classList.add("has-live");
      const place = () => {
        const panel = live.querySelector(`.${this.panel} .background`).getBoundingClientRect(), home = live.getBoundingClientRect();
        Object.assign(glass.style, { left: `${panel.left - home.left}px`, top: `${panel.top - home.top}px`,
          width: `${panel.width}px`, height: `${panel.height}px` });
        const [x, y] = this.at.map((value, i) => (value - this.low[i]) / (this.high[i] - this.low[i]));
        Object.assign(mark.style, { left: `${100 * x}%`, top: `${100 * (1 - y)}%` });
      };
      new ResizeObserver(place).observe(live);
      const go = (to) => {
        this.move(to);
        place();
        changed();
      };
      const under = (event) => {
        const panel = glass.getBoundingClientRect();
        return [(event.clientX - panel.left) / panel.width, 1 - (event.clientY - panel.top) / panel.height]
          .map((share, i) => this.low[i] + share * (this.high[i] - this.low[i]));
      };
      let held = false;
      glass.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        glass.setPointerCapture(event.pointerId);
        held = true;
        go(under(event));
      });
      glass.addEventListener("pointermove", (event) => { if (held) go(under(event)); });
      for (const end of ["pointerup", "pointercancel"]) glass.addEventListener(end, () => { held = false; });
      glass.addEventListener("keydown", (event) => {
        if (!KEYS[event.key]) return;
        const [down, right] = KEYS[event.key];
        go([right, -down].map((step, i) => this.at[i] + step * (this.high[i] - this.low[i]) / 40));
        event.preventDefault();
        event.stopPropagation();                                        // elsewhere an arrow key turns the page
      });
    }
  }

  // A figure and the program behind it. `range` is its slider, if it has one; without stops it is a list that stays as it is.
  function drive(view, spec, live, range, stops) {
    const { name, canvas: given, knobs: several, handle: dot, slider } = spec.usermeta?.recto ?? {};
    const box = document.querySelector(".rx-here[data-page]");
    if (!(given || slider || several || dot) || !box || !window.recto_runner || live.closest(".rx-results")) return;
    const runner = new window.recto_runner(JSON.parse(box.dataset.page)), canvas = given && new Canvas(given, spec),
      knobs = several && new Knobs(several, live.closest("figure")), handle = dot && new Handle(dot);
    const column = spec.params?.[0].name, between = new Set();          // settings beside the stops that the figure has rows for
    const status = make("span", { className: "rx-painted", role: "status" });
    let repaint = false, wanted, busy = false, pass = false;

    // What the program draws with these options, as data sets; null and a message where it ends with an error.
    async function drawn(words) {
      let told = "";
      const print = (stream, text) => { if (stream === 2) told += text; };
      const { status: code, written } = await runner.run([`--until=${name}`, ...(canvas?.words() ?? []), ...(knobs?.words() ?? []),
        ...(handle?.words() ?? []), ...words], print, () => {})
        .catch((error) => { print(2, `${error.message}.`); return { status: 1, written: [] }; });
      const file = written.find(([path]) => path === `/out/${name}.vl.json`);
      status.textContent = code || !file ? told.trim() || "The program ended with an error." : canvas ? "or paint on the image" : "";
      return !code && file ? datasets(JSON.parse(new TextDecoder().decode(file[1]))) : null;
    }
    async function paint() {
      const found = await drawn([]);
      if (!found || repaint) return;
      for (const [data, rows] of found) if (data !== canvas?.data) view.data(data, rows);
      between.clear();
      await view.runAsync();
      if (slider && stops && !stops.includes(Number(range.value))) wanted ??= Number(range.value);
    }
    async function set(value) {
      if (!between.has(value)) {
        const found = await drawn([`${slider}=${value}`]);
        if (!found) return;
        for (const [data, rows] of found) {
          const new_ones = rows.filter((row) => row[column] === value);
          if (new_ones.length) view.insert(data, new_ones);
        }
        between.add(value);
      }
      if (Number(range.value) !== value) return;                        // the reader is somewhere else by now
      pass = true;
      range.dispatchEvent(new Event("input", { bubbles: true }));
      pass = false;
    }
    async function work() {
      if (busy) return;
      busy = true;
      while (repaint || wanted !== undefined) {
        const value = wanted;
        if (repaint) {
          repaint = false;
          await paint();
        } else {
          wanted = undefined;
          await set(value);
        }
      }
      busy = false;
    }

    if (slider && stops) {
      range.step = Number(range.step) / BETWEEN;
      const hold = (event) => {                                         // Vega hears of a setting when there are rows for it
        if (event.target !== range || pass || stops.includes(Number(range.value))) { wanted = undefined; return; }
        event.stopImmediatePropagation();
        wanted = Number(range.value);
        work();
      };
      for (const kind of ["input", "change"]) live.addEventListener(kind, hold, true);
    }
    if (canvas) paintable(canvas, live, status, () => {
      view.data(canvas.data, canvas.rows()).run();
      repaint = true;
      work();
    });
    else live.append(status);
    const anew = () => {
      repaint = true;
      work();
    };
    knobs?.put(live, anew);
    handle?.put(live, anew);
  }

  // Buttons, and what takes the pointer and the keys over the panel.
  function paintable(canvas, live, status, changed) {
    const erase = make("button", { type: "button" }, "erase"), clear = make("button", { type: "button" }, "clear"),
      back = make("button", { type: "button" }, "back to the image");
    const glass = make("div", { className: "rx-glass", tabIndex: 0 }), mark = make("i", {}), bar = make("div", { className: "rx-paint" });
    erase.setAttribute("aria-pressed", false);
    status.textContent = "or paint on the image";
    bar.append(status, erase, clear, back);
    glass.setAttribute("role", "application");
    glass.setAttribute("aria-label", "The image: arrow keys move the brush, the space bar paints");
    glass.append(mark);
    live.append(bar, glass);
    erase.addEventListener("click", () => erase.setAttribute("aria-pressed", erase.getAttribute("aria-pressed") !== "true"));
    clear.addEventListener("click", () => { canvas.fill(0); changed(); });
    back.addEventListener("click", () => { canvas.restore(); changed(); });
    const touch = (cell) => { if (canvas.touch(cell, erase.getAttribute("aria-pressed") === "true" ? 0 : 9)) changed(); };

    const brush = [canvas.tall / 2 | 0, canvas.wide / 2 | 0];           // of the keyboard
    function place() {
      const panel = live.querySelector(`.concat_${canvas.panel}_group .background`).getBoundingClientRect(),
        home = live.getBoundingClientRect();
      Object.assign(glass.style, { left: `${panel.left - home.left}px`, top: `${panel.top - home.top}px`,
        width: `${panel.width}px`, height: `${panel.height}px` });
      Object.assign(mark.style, { left: `${100 * brush[1] / canvas.wide}%`, top: `${100 * brush[0] / canvas.tall}%`,
        width: `${200 / canvas.wide}%`, height: `${200 / canvas.tall}%` });
    }
    new ResizeObserver(place).observe(live);
    const cell = (event) => {
      const panel = glass.getBoundingClientRect();
      return [(event.clientY - panel.top) / panel.height * canvas.tall - .5,
        (event.clientX - panel.left) / panel.width * canvas.wide - .5].map(Math.floor);
    };
    let last;                                                           // where a stroke has come
    glass.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      glass.setPointerCapture(event.pointerId);
      last = cell(event);
      touch(last);
      event.preventDefault();
    });
    glass.addEventListener("pointermove", (event) => {
      if (!last) return;
      const next = cell(event), steps = Math.max(Math.abs(next[0] - last[0]), Math.abs(next[1] - last[1]));
      for (let n = 1; n <= steps; ++n) touch(last.map((from, i) => Math.round(from + (next[i] - from) * n / steps)));
      last = next;
    });
    for (const end of ["pointerup", "pointercancel"]) glass.addEventListener(end, () => { last = undefined; });
    glass.addEventListener("keydown", (event) => {
      if (event.key === " ") touch(brush);
      else if (KEYS[event.key])
        KEYS[event.key].forEach((step, i) => { brush[i] = Math.min(Math.max(brush[i] + step, 0), [canvas.tall, canvas.wide][i] - 2); });
      else return;
      event.preventDefault();
      event.stopPropagation();                                          // elsewhere an arrow key turns the page
      place();
    });
  }

  window.recto_drive = drive;                                           // live.js calls it
})();
