// node tests/wasm/run.cjs BOOK MODULE FILES PROGRAM [--options]: a page from the built book's own scripts, as a browser runs it.
// FILES is {where the page finds a file: the script that brings it, or the path of the file itself}. On standard output one JSON object: what it wrote, and its times.
const fs = require("fs"), path = require("path"), zlib = require("zlib");

const [book, module_name, files, program, ...options] = process.argv.slice(2);
const host = require(path.join(book, "_static", "host.js"));
const unpack = (name) => {
  if (path.isAbsolute(name)) return new Uint8Array(name.endsWith(".gz") ? zlib.gunzipSync(fs.readFileSync(name)) : fs.readFileSync(name));
  const window = {};
  new Function("window", fs.readFileSync(path.join(book, "_static", "programs", `${name}.js`), "utf8"))(window);
  return new Uint8Array(zlib.gunzipSync(Buffer.from(window.recto_packed[name], "base64")));
};

(async () => {
  const given = new Map(Object.entries(JSON.parse(files)).map(([where, name]) => [where, unpack(name)]));
  const all = new Map(given), printed = { 1: "", 2: "" }, start = performance.now();
  const compiled = await WebAssembly.compile(unpack(module_name)), ready = performance.now();
  const status = await host.run(compiled, { words: [program, "--out", "/out", ...options], settings: [], files: all,
                                            print: (stream, text) => { printed[stream] += text; } });
  const written = Object.fromEntries([...all].filter(([name]) => !given.has(name)).map(([name, data]) => [name, Buffer.from(data).toString()]));
  const answer = { status, said: printed[1], error: printed[2], written, compile: (ready - start) / 1000, seconds: (performance.now() - ready) / 1000 };
  process.stdout.write(JSON.stringify(answer), () => process.exit(0));
})();
