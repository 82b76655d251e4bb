"use strict";
// Figures come alive when they are about to be seen: one local script, no request elsewhere.
// Questions that want a number get a box for it; choices need no script.
(() => {
  const here = document.currentScript.src.replace(/recto\.js.*$/, "");
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

  async function enliven(plot) {
    const spec = JSON.parse(plot.querySelector("script").textContent);
    const live = document.createElement("div");
    live.className = "rx-live";
    plot.append(live);
    const fit = plot.dataset.fit;
    const narrow = plot.clientWidth < 480 && fit !== "fixed";
    if (fit === "fluid") Object.assign(spec, { width: "container", autosize: { type: "fit", contains: "padding" } });
    if (narrow) {
      Object.assign(spec.config.legend, { columns: 2, columnPadding: 10, labelFontSize: 13 });
      Object.assign(spec.config.axisX, { tickCount: 4 });
    }
    if (narrow && fit === "panels") {
      const widest = Math.max(...spec.concat.map((panel) => panel.width));
      spec.columns = widest <= 200 ? 2 : 1;                             // as stills.py does it
      for (const panel of spec.concat)
        panel.width = widest <= 200 ? Math.min(widest, Math.floor((plot.clientWidth - 60) / 2)) : plot.clientWidth - 75;
    }
    try {
      const embed = await load();
      await embed(live, spec, { actions: false, renderer: "svg", tooltip: { theme: "custom" } });
      live.querySelectorAll("select").forEach(slide);
      const svg = live.querySelector("svg");
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", plot.querySelector(".rx-picture").getAttribute("aria-label"));
      for (const inside of svg.querySelectorAll("[role], [aria-label]")) {
        for (const name of ["role", "aria-label", "aria-roledescription"]) inside.removeAttribute(name);
      }
      plot.classList.add("is-live");
    } catch (error) {
      live.remove();                                                    // the still one stays
      console.warn(error);
    }
  }

  window.recto_enliven = enliven;                                       // try.js draws what a run in the browser drew

  function copyable(command) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard?.writeText(command.textContent);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    command.after(button);
  }

  function answerable(box) {
    const form = box.querySelector("form");
    const said = form.querySelector("output");
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = form.querySelector("input").value.trim().replace(/\s|'/g, "").replace(",", ".").replace("\u2212", "-");
      const guess = Number(typed);
      const wanted = Number(box.dataset.answer);
      const near = Math.max(Number(box.dataset.tolerance), 1e-9 * Math.abs(wanted));
      if (typed === "" || Number.isNaN(guess)) { said.textContent = "A number, please."; return; }
      const right = Math.abs(guess - wanted) <= near;
      const hint = guess > wanted ? "Too large." : "Too small.";
      said.replaceChildren(box.querySelector(right ? ".rx-yes" : ".rx-no").content.cloneNode(true), right ? "Right." : hint);
      if (right) box.querySelector("details").open = true;
    });
  }

  // Prose folds the plumbing of all programs, and hides what only checks; code opens it. The choice is kept for all pages.
  function switchable(group) {
    const buttons = [...group.querySelectorAll("button")];
    const folds = document.querySelectorAll(".rx-program.folded > details");
    const show = (what) => {
      for (const button of buttons) button.setAttribute("aria-pressed", button.value === what);
      for (const fold of folds) fold.open = what === "code";
      document.body.classList.toggle("rx-prose", what === "prose");
    };
    for (const button of buttons)
      button.addEventListener("click", () => {
        show(button.value);
        try { localStorage.setItem("recto-shows", button.value); } catch { /* a file's own storage may be closed */ }
      });
    let kept = null;
    try { kept = localStorage.getItem("recto-shows"); } catch { /* as above */ }
    show(kept === "code" ? "code" : "prose");
    group.hidden = false;
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".rx-switch").forEach(switchable);
    document.querySelectorAll("code.rx-command").forEach(copyable);
    document.querySelectorAll(".rx-answer").forEach(answerable);
    const near = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen)
        if (isIntersecting) { near.unobserve(target); enliven(target); }
    }, { rootMargin: "400px" });
    document.querySelectorAll(".rx-plot:has(> script)").forEach((plot) => near.observe(plot));
  });

  // Tooltips leave with the pointer even when a touch screen never says so.
  document.addEventListener("scroll", () => {
    document.getElementById("vg-tooltip-element")?.classList.remove("visible");
  }, { passive: true });
})();
