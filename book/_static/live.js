"use strict";
// Figures come alive when they are about to be seen: one local script, no request elsewhere. A slider can also be stepped and
// played, or moved by what it moves, and its setting stands in the address (#fig-3-2=0.1), which can be kept and shared.
(() => {
  const here = document.currentScript.src.replace(/live\.js.*$/, "");
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let library;

  function load() {
    library ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = here + "vega.js";
      script.onload = () => done(window.vegaEmbed);
      script.onerror = () => failed(new Error("vega.js is missing"));
      document.head.append(script);
    });
    return library;
  }

  // Settings at uneven distances come as a list. A slider over its entries can be dragged.
  function slide(list) {
    const range = document.createElement("input");
    const shown = document.createElement("span");
    Object.assign(range, { type: "range", min: 0, max: list.options.length - 1, value: list.selectedIndex });
    const show = () => {
      shown.textContent = list.options[range.value].text;
      range.setAttribute("aria-valuetext", shown.textContent);
    };
    range.addEventListener("input", () => {
      list.selectedIndex = range.value;
      list.dispatchEvent(new Event("change"));
      show();
    });
    show();
    list.before(range, shown);                                          // a label belongs to the first in it
    list.hidden = true;
  }

  // Buttons that move a slider: one stop back, all stops in turn, one stop on.
  function player(range) {
    const button = (label, text) => Object.assign(document.createElement("button"), { type: "button", textContent: text, title: label, ariaLabel: label });
    const back = button("One step back", "\u2039"), play = button("Play", "\u25B6\uFE0E"), on = button("One step on", "\u203A");
    const low = Number(range.min), high = Number(range.max), step = Number(range.step) || 1;
    const stops = Math.round((high - low) / step) + 1;
    let clock = 0;
    const move = (to) => {
      range.value = Math.min(Math.max(to, low), high);
      range.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const stop = () => {
      clearInterval(clock);
      clock = 0;
      Object.assign(play, { textContent: "\u25B6\uFE0E", title: "Play", ariaLabel: "Play" });
    };
    play.addEventListener("click", () => {
      if (clock) { stop(); return; }
      if (Number(range.value) >= high) move(low);
      Object.assign(play, { textContent: "\u275A\u275A", title: "Pause", ariaLabel: "Pause" });
      clock = setInterval(() => {
        move(Number(range.value) + step);
        if (Number(range.value) >= high) stop();
      }, Math.min(Math.max(9000 / stops, 90), 900));
    });
    back.addEventListener("click", () => { stop(); move(Number(range.value) - step); });
    on.addEventListener("click", () => { stop(); move(Number(range.value) + step); });
    range.addEventListener("pointerdown", stop);
    play.hidden = still.matches;
    const group = document.createElement("span");
    group.className = "rx-player";
    group.append(back, play, on);
    range.closest("label").after(group);
  }

  // Whether a mark of this panel stands, along x, at the slider's setting, whatever it is.
  function marks(panel, name) {
    const flat = (layers) => layers.flatMap((layer) => [layer, ...flat(layer.layer ?? [])]);
    const equal = (a, b) => typeof a === "number" && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
    return flat(panel.layer ?? []).some((layer) => {
      const rows = layer.data?.values ?? [];
      return rows.length > 1 && rows.every((row) => name in row && equal(row.x, row[name]));
    });
  }

  // Whether frames in this panel stand in the row that the slider names.
  function rows(panel, name) {
    return (panel.layer ?? []).some((layer) => {
      const values = layer.data?.values ?? [];
      return values.length > 1 && values.every((row) => name in row && Number(row.row) === row[name]);
    });
  }

  // The stops of a slider.
  const all_stops = ({ bind }) => bind.options ?? Array.from({ length: Math.round((bind.max - bind.min) / bind.step) + 1 },
    (_, k) => bind.min + k * bind.step);
  // The panel under a pointer, of these.
  const frame = (live, k) => live.querySelector(`svg .concat_${k}_group .background`).getBoundingClientRect();
  const under = (live, panels, event) => panels.find((k) => {
    const box = frame(live, k);
    return event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
  });

  // A row of such a panel comes when it is pointed at.
  function pointable(view, spec, live, range) {
    const { name, bind } = spec.params[0], stops = all_stops(spec.params[0]);
    const panels = [...(spec.concat ?? []).keys()].filter((k) => rows(spec.concat[k], name));
    if (!panels.length) return;
    const follow = (event) => {
      const k = under(live, panels, event);
      if (k === undefined) return;
      const box = frame(live, k), all = view.scale(`concat_${k}_y`).domain();
      const row = all[Math.min(Math.floor((event.clientY - box.top) / box.height * all.length), all.length - 1)];
      const value = String(bind.options ? stops.indexOf(Number(row)) : row);
      if (!stops.includes(Number(row)) || range.value === value) return;
      range.value = value;
      range.dispatchEvent(new Event("input", { bubbles: true }));
    };
    for (const kind of ["pointermove", "pointerdown"]) live.querySelector("svg").addEventListener(kind, follow);
    live.querySelector(".rx-player").after(Object.assign(document.createElement("span"),
      { className: "rx-drag", textContent: "or point at a row" }));
  }

  // Such a mark can be dragged, or called by a click in its panel: the slider goes to the nearest of its stops.
  function draggable(view, spec, live, range) {
    const { name, bind } = spec.params[0];
    const stops = all_stops(spec.params[0]);
    const panels = [...(spec.concat ?? []).keys()].filter((k) => marks(spec.concat[k], name));
    if (!panels.length) return;
    const svg = live.querySelector("svg");
    const follow = (k, event) => {
      const box = frame(live, k), place = view.scale(`concat_${k}_x`);
      const at = (event.clientX - box.left) / box.width * Math.max(...place.range());
      const far = (stop) => Math.abs(place(stop) - at);
      const nearest = stops.reduce((best, stop, i) => far(stop) < far(stops[best]) ? i : best, 0);
      const value = String(bind.options ? nearest : stops[nearest]);
      if (range.value === value) return;
      range.value = value;
      range.dispatchEvent(new Event("input", { bubbles: true }));
    };
    let held;                                                           // the panel in which the pointer went down
    svg.style.touchAction = "pan-y";                                    // a page still scrolls
    svg.addEventListener("pointerdown", (event) => {
      held = event.button === 0 && !event.ctrlKey ? under(live, panels, event) : undefined;
      if (held === undefined) return;
      svg.setPointerCapture(event.pointerId);
      range.dispatchEvent(new Event("pointerdown"));                    // what plays ends
      follow(held, event);
    });
    svg.addEventListener("pointermove", (event) => {
      svg.style.cursor = (held ?? under(live, panels, event)) === undefined ? "" : "ew-resize";
      if (held !== undefined) follow(held, event);
    });
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { held = undefined; });
    const names = panels.map((k) => spec.concat[k].title?.text).filter(Boolean).join("\u201D, \u201C");
    const hint = Object.assign(document.createElement("span"),
      { className: "rx-drag", textContent: `or drag in the panel \u201C${names}\u201D` });
    live.querySelector(".rx-player").after(hint);
  }

  // The setting of a figure's slider, to and from the address of the page.
  function addressed(range, figure) {
    const [name, value] = decodeURIComponent(location.hash.slice(1)).split("=");
    if (name === figure.id && value && Number.isFinite(Number(value))) {
      range.value = value;
      range.dispatchEvent(new Event("input", { bubbles: true }));
    }
    let soon = 0;
    range.addEventListener("input", () => {
      clearTimeout(soon);
      soon = setTimeout(() => history.replaceState(null, "", `#${figure.id}=${range.value}`), 400);
    });
  }

  // A legend on a narrow page has two columns where their labels fit, otherwise one (stills.py does the same).
  function columns(spec, width) {
    const labels = [spec, ...(spec.concat ?? [])].map((part) => part.encoding?.color?.scale?.domain).find((domain) => domain) ?? [];
    const longest = [0, 1].map((column) => Math.max(0, ...labels.filter((_, i) => i % 2 === column).map((label) => String(label).length)));
    return (longest[0] + longest[1]) * 6.3 < width - 140 ? 2 : 1;
  }

  async function enliven(plot) {
    const spec = JSON.parse(plot.querySelector("script").textContent);
    const live = document.createElement("div");
    live.className = "rx-live";
    plot.append(live);
    const fit = plot.dataset.fit;
    const narrow = plot.clientWidth < 480 && fit !== "fixed";
    const square = (panel) => Math.abs(panel.width - panel.height) < 8; // its angles mean something: stills.py does the same
    const side = Math.min(plot.clientWidth - 10, 480);
    if (fit === "fluid" && square(spec)) Object.assign(spec, { width: side, height: side });
    else if (fit === "fluid") Object.assign(spec, { width: "container", autosize: { type: "fit", contains: "padding" } });
    if (narrow) {
      Object.assign(spec.config.legend, { columns: columns(spec, plot.clientWidth), columnPadding: 10, labelFontSize: 13 });
      Object.assign(spec.config.axisX, { tickCount: 4 });
    }
    if (narrow && fit === "panels") {
      const widest = Math.max(...spec.concat.map((panel) => panel.width));
      spec.columns = widest <= 200 ? 2 : 1;                             // as stills.py does it
      const wide = widest <= 200 ? Math.min(widest, Math.floor((plot.clientWidth - 60) / 2)) : plot.clientWidth - 75;
      for (const panel of spec.concat) Object.assign(panel, { width: wide }, square(panel) && { height: wide });
    }
    try {
      const embed = await load();
      const { view } = await embed(live, spec, { actions: false, renderer: "svg", tooltip: { theme: "custom" } });
      live.querySelectorAll("select").forEach(slide);
      const figure = plot.closest("figure[id]");
      const slider = live.querySelector("input[type=range]");
      window.recto_drive(view, spec, live, slider, slider && !spec.params[0].bind.options && all_stops(spec.params[0]));
      for (const range of live.querySelectorAll(".vega-bind input[type=range]")) {
        player(range);
        draggable(view, spec, live, range);
        pointable(view, spec, live, range);
        if (figure) addressed(range, figure);
      }
      const svg = live.querySelector("svg");
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", plot.querySelector(".rx-picture").getAttribute("aria-label"));
      for (const inside of svg.querySelectorAll("[role], [aria-label]")) {
        for (const name of ["role", "aria-label", "aria-roledescription"]) inside.removeAttribute(name);
      }
      plot.classList.add("is-live");
      if (/"(params|tooltip)"/.test(JSON.stringify(spec))) figure?.classList.add("has-live");      // photographs answer to nothing
    } catch (error) {
      live.remove();                                                    // the still one stays
      console.warn(error);
    }
  }

  window.recto_enliven = enliven;                                       // try.js draws what a run in the browser drew

  document.addEventListener("DOMContentLoaded", () => {
    const near = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen)
        if (isIntersecting) { near.unobserve(target); enliven(target); }
    }, { rootMargin: "400px" });
    document.querySelectorAll(".rx-plot:has(> script)").forEach((plot) => near.observe(plot));
    const [name, setting] = location.hash.slice(1).split("=");
    if (setting) document.getElementById(decodeURIComponent(name))?.scrollIntoView();
  });

  // Tooltips leave with the pointer even when a touch screen never says so.
  document.addEventListener("scroll", () => {
    document.getElementById("vg-tooltip-element")?.classList.remove("visible");
  }, { passive: true });
})();
