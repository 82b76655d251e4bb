"use strict";
// Change and run: a page's own program, in the reader's browser. It runs in a worker, made from the text of host.js since a
// page from file:// may not load one; modules and data come as scripts for the same reason.
(() => {
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  const CLEAR = "\r\x1b[K";                                            // before a line of progress, and to take it away
  const STOPPED = { status: null, written: [] };
  const scripts = new Map();

  function script(name) {
    if (!scripts.has(name))
      scripts.set(name, new Promise((done, failed) => {
        const element = document.createElement("script");
        element.src = here + name;
        element.onload = done;
        element.onerror = () => failed(new Error(`${name} is missing from this copy of the book`));
        document.head.append(element);
      }));
    return scripts.get(name);
  }

  // What a script of programs/ brought: bytes, compressed with gzip and written in base64.
  async function unpack(name) {
    await script(`programs/${name}.js`);
    const packed = Uint8Array.from(atob(window.recto_packed[name]), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // A worker that holds a compiled module and the page's data, and runs the page as often as it is told.
  function make_worker() {
    const text = `"use strict";
      const host = (${window.recto_host})(), files = new Map();
      let module;
      onmessage = async ({ data: { program, given, words } }) => {
        const print = (stream, text) => postMessage({ stream, text });
        try {
          if (program) module = await WebAssembly.compile(program);
          for (const [path, bytes] of given) files.set(path, bytes);
          const all = new Map(files), status = await host.run(module, { words, files: all, print });
          postMessage({ status, written: [...all].filter(([path]) => !files.has(path)) });
        } catch (error) {
          print(2, words[0] + ": " + error.message + "\\n");
          postMessage({ status: 1, written: [] });
        }
      };`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    return worker;
  }

  // Runs a page; {status, written} when it ends. `say` hears what it prints, `progress` its share done or null.
  class Runner {
    constructor({ program, module, files }) {
      Object.assign(this, { program, module, files, worker: null, stops: 0 });
    }
    async run(options, say, progress) {
      const words = [this.program, "--out", "/out", ...options];
      await script("host.js");
      const first = !this.worker, stops = this.stops;
      const message = { words, given: [] };
      if (first) {
        message.program = await unpack(this.module);
        for (const [path, name] of Object.entries(this.files)) message.given.push([path, await unpack(name)]);
        if (this.stops !== stops) return STOPPED;                      // before it had begun
        this.worker = make_worker();
      }
      return new Promise((done) => {
        this.ended = done;
        this.worker.onerror = (event) => { say(2, `${this.program}: ${event.message}\n`); this.stop({ status: 1, written: [] }); };
        this.worker.onmessage = ({ data }) => {
          if (!("text" in data)) return done(data);
          if (data.stream === 1) return say(1, data.text);
          for (const part of data.text.split(CLEAR)) {
            const share = part.match(/^[#.]+ +(\d+) %/);
            if (share) progress(Number(share[1]) / 100);
            else if (part) say(2, part);
            else progress(null);
          }
        };
        this.worker.postMessage(message, first ? [message.program.buffer] : []);
      });
    }
    stop(how = STOPPED) {
      ++this.stops;
      this.worker?.terminate();
      this.worker = null;
      this.ended?.(how);
    }
  }

  window.recto_runner = Runner;                                         // driven.js runs a page as well

  // A program's specification as the page shows it: palette.py does the same for the figures that are printed.
  function paint(value, { colours, channels }, key = "") {
    const again = (part, name) => paint(part, { colours, channels }, name);
    if (Array.isArray(value)) return value.map((part) => again(part));
    if (typeof value === "string") return colours[value.toUpperCase()] ? `var(${colours[value.toUpperCase()]})` : value;
    if (value === null || typeof value !== "object") return value;
    const kind = value.scale?.type ?? "";
    const computed = ["linear", "log", "sqrt", "pow", "symlog", "sequential"].includes(kind) ||
      (!kind && ["quantitative", "temporal"].includes(value.type));
    const left = channels.includes(key) && computed ? ["scale"] : ["datasets", "values", "url"];
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, left.includes(name) ? part : again(part, name)]));
  }
  function dress(spec, palette) {
    const config = { ...structuredClone(palette.theme), mark: { color: "var(--fig-blue)" } };
    const painted = paint(spec, palette);
    const plain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
    for (const [name, value] of Object.entries(spec.config ?? {}))
      config[name] = plain(value) && plain(config[name]) ? { ...config[name], ...value } : value;
    return { ...painted, $schema: palette.schema, config };
  }

  // How a figure fits a page: stills.py says the same.
  function fit(spec) {
    const marks = [spec, ...(spec.layer ?? [])].map((part) => part.mark);
    const picture = (mark) => mark === "image" || (mark?.type === "image" && (mark.aspect ?? true));
    if (marks.some(picture) || typeof spec.width === "object") return "fixed";
    if (spec.layer || spec.mark) return "fluid";
    return spec.concat?.length && spec.concat.every((panel) => fit(panel) === "fluid") ? "panels" : "fixed";
  }

  function make(name, attributes = {}, ...inside) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  }

  function number(value) {
    if (typeof value !== "number") return String(value);
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e6 || size < 1e-3)) {
      const [digits, power] = value.toExponential(3).split("e");
      const raised = [...String(Number(power))].map((digit) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(digit)]).join("");
      return Number(digits) === 1 ? `10${raised}` : `${Number(digits)} × 10${raised}`;
    }
    return String(Number(value.toPrecision(4)));
  }

  function claim(record) {
    const kind = !record.judged ? "is-unjudged" : record.timing ? "is-slow" : record.expect === "fails" && !record.holds ? "differs"
      : record.holds && record.expect === "holds" ? "reproduced" : "broken";
    const verdict = { "is-unjudged": "Not judged", "is-slow": "Timing", differs: "Not reproduced", reproduced: "Holds", broken: "Does not hold here" }[kind];
    const relation = { "<=": "≤", ">=": "≥", "==": "=" }[record.relation] ?? record.relation;
    const bound = relation === "in" ? `in [${record.bound.map(number).join(", ")}]` : `${relation} ${number(record.bound)}`;
    const sentence = record.text[0].toUpperCase() + record.text.slice(1).replace(/\.$/, "");
    const told = record.relation === "==" && record.bound === 1;
    return make("li", { class: `rx-claim ${kind}` }, make("p", {},
      make("span", { class: "rx-sentence" }, make("span", { class: "rx-verdict" }, `${verdict}: `), `${sentence}. `),
      ...(told ? [] : [make("span", { class: "rx-measured" }, "measured ", make("b", {}, number(record.measured)), `, asked ${bound}`)])));
  }

  function table(record) {
    const row = (cells, name) => make("tr", {}, ...cells.map((cell) => make(name, name === "th" ? { scope: "col" } : {}, number(cell))));
    return make("div", { class: "rx-table", tabindex: 0, role: "region", "aria-label": record.caption }, make("table", {},
      make("caption", {}, record.caption), make("thead", {}, row(record.columns, "th")),
      make("tbody", {}, ...record.rows.map((cells) => row(cells, "td")))));
  }

  // A caption's Markdown was made into HTML with the page's own figure of that name; plain words need none.
  function caption({ name = "", caption = "" }) {
    const own = document.getElementById(name.toLowerCase().replace(/[^a-z0-9]+/g, "-"))?.querySelector(".caption-text");
    return /[`$*{]/.test(caption) && own ? [...own.cloneNode(true).childNodes] : [caption];
  }

  function figure(spec, palette) {
    const own = spec.usermeta?.recto ?? {};
    const data = make("script", { type: "application/json" }, JSON.stringify(dress(spec, palette)));
    const plot = make("div", { class: "rx-plot", "data-fit": fit(spec) },
      make("div", { class: "rx-picture", role: "img", "aria-label": spec.description ?? "" }), data);
    return [make("figure", { class: "rx-figure" }, plot, make("figcaption", {}, make("p", {}, ...caption(own)))), plot];
  }

  function tryable(box) {
    const form = box.querySelector("form"), output = box.querySelector("pre"), bar = box.querySelector("progress");
    const status = box.querySelector("[role=status]"), results = box.querySelector(".rx-results");
    const [start, stop, reset] = ["run", "stop", "reset"].map((name) => form.querySelector(`[name=${name}]`));
    const runner = new Runner(JSON.parse(box.dataset.page));

    function options() {
      const words = [], quick = form.querySelector('[name="--quick"]').checked;
      for (const input of form.querySelectorAll("[data-standard]")) {
        const value = input.type === "checkbox" ? String(input.checked) : input.value.trim();
        if (quick && value === input.defaultValue) continue;           // a quick run has values of its own
        if (value !== input.dataset.standard) words.push(input.name === "--quick" ? "--quick" : `${input.name}=${value}`);
      }
      return words;
    }
    function say(stream, text) {
      const low = output.scrollHeight - output.scrollTop - output.clientHeight < 40;
      output.hidden = false;
      output.append(stream === 2 ? make("b", {}, text) : text);
      if (low) output.scrollTop = output.scrollHeight;
    }
    function progress(share) {
      if (share === null) bar.removeAttribute("value");
      else bar.value = share;
    }
    function busy(on) {
      bar.hidden = !on;
      start.disabled = on;
      stop.disabled = !on;
      box.setAttribute("aria-busy", on);
    }
    async function show(written) {
      const text = new TextDecoder(), files = new Map(written.map(([path, bytes]) => [path, text.decode(bytes)]));
      const records = (files.get("/out/trace.jsonl") ?? "").split("\n").filter(Boolean).map((line) => JSON.parse(line));
      const claims = records.filter((record) => record.kind === "claim"), plots = [];
      if (claims.length) results.append(make("ul", { class: "rx-claims" }, ...claims.map(claim)));
      for (const record of records) {
        if (record.kind === "table") results.append(table(record));
        if (record.kind === "figure" && record.spec.endsWith(".json")) {
          const [drawn, plot] = figure(JSON.parse(files.get(`/out/${record.spec}`)), window.recto_palette);
          results.append(drawn);
          plots.push(plot);
        }
      }
      for (const plot of plots) await window.recto_enliven(plot);
      return records.find((record) => record.kind === "page");
    }

    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (start.disabled) return;
      const words = options();
      output.replaceChildren();
      results.replaceChildren();
      progress(null);
      busy(true);
      status.textContent = "Running.";
      const begun = performance.now();
      try {
        await script("palette.js");
        const { status: code, written } = await runner.run(words, say, progress);
        const seconds = ((performance.now() - begun) / 1000).toFixed(1);
        const page = await show(written);
        status.textContent = code === null ? "Stopped." : !page ? "The program ended with an error." : `Done in ${seconds} s. ` +
          (page.standard ? box.dataset.differs : box.dataset.part ? `No claim is judged: this copy carries ${box.dataset.part}.`
            : "Claims are judged at the standard settings only.");
      } catch (error) {
        status.textContent = `${error.message}.`;
      }
      busy(false);
    });
    stop.addEventListener("click", () => runner.stop());
    reset.addEventListener("click", () => {
      for (const input of form.querySelectorAll("[data-standard]"))
        if (input.type === "checkbox") input.checked = input.dataset.standard === "true";
        else input.value = input.defaultValue;
    });
    box.hidden = false;
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (window.WebAssembly && window.DecompressionStream) document.querySelectorAll(".rx-here").forEach(tryable);
  });
})();
