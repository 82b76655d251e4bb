"use strict";
// Commands can be copied, questions that want a number get a box for it, one switch folds all code; choices need no script.
(() => {
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

  // On a map of pages: the lines of the page under the pointer or the keyboard, and the pages at their other ends.
  function traced(map) {
    const show = (event) => {
      const left = event.type === "pointerleave" || event.type === "focusout";
      const page = left ? undefined : event.target.closest("li")?.dataset.page;
      const ends = new Set();
      for (const line of map.querySelectorAll("path")) {
        const { from, to } = line.dataset;
        const on = from === page || to === page;
        line.classList.toggle("on", on);
        if (on) ends.add(from).add(to);
      }
      for (const stop of map.querySelectorAll("li")) {
        stop.classList.toggle("is", stop.dataset.page === page);
        stop.classList.toggle("on", ends.has(stop.dataset.page) && stop.dataset.page !== page);
      }
    };
    for (const kind of ["pointerover", "pointerleave", "focusin", "focusout"]) map.addEventListener(kind, show);
  }

  // A formula that is wider than its place and has no sign to break at becomes smaller; below two thirds it is scrolled.
  function fitted(box) {
    const formula = box.querySelector(".katex-display");
    const fit = () => {
      if (!box.clientWidth) return;
      let size = 1;
      formula.style.fontSize = "";
      for (let n = 0; n < 4 && size > 0.66 && box.scrollWidth > box.clientWidth; ++n) {
        size = Math.max(0.66, size * Math.min(0.98, box.clientWidth / box.scrollWidth));
        formula.style.fontSize = `${size.toFixed(3)}em`;
      }
    };
    new ResizeObserver(fit).observe(box);
  }

  // What is wider than its place fades out at the right edge as long as more is hidden there. (Shadows made by style sheets
  // alone lie behind the pictures.)
  function fading(box) {
    const see = () => box.classList.toggle("rx-more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    new ResizeObserver(see).observe(box);
    box.addEventListener("scroll", see, { passive: true });
  }

  document.addEventListener("DOMContentLoaded", () => {
    const formulas = ".math-block > .math, .rx-listing .tex > div";
    document.querySelectorAll(formulas).forEach(fitted);
    document.querySelectorAll(`${formulas}, .rx-plot.fixed, .rx-values, .rx-table, .rx-listing, .rx-options, .table-wrapper`).forEach(fading);
    document.querySelectorAll(".rx-map").forEach(traced);
    document.querySelectorAll(".rx-switch").forEach(switchable);
    document.querySelectorAll("code.rx-command").forEach(copyable);
    document.querySelectorAll(".rx-answer").forEach(answerable);
  });
})();
