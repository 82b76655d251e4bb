"use strict";
// What a page's program asks of its surroundings, in a browser and under node: a clock, its words, files in memory (WASI,
// the part that the programs use). It stands in one function, so that its text can become a worker.
function recto_host() {
  const OK = 0, BAD_FILE = 8, NOT_FOUND = 44, UNKNOWN = 52, NO_SEEK = 70;
  const TERMINAL = 2, FOLDER = 3, FILE = 4;                            // kinds of files
  const CREATE = 1, EMPTY = 8;                                         // ways to open one

  class Ended extends Error {
    constructor(status) {
      super(`ended with ${status}`);
      this.status = status;
    }
  }

  // The calls of one run. `files` maps paths to bytes, and receives what the program writes.
  function surroundings({ words, settings, files, print }) {
    const encode = new TextEncoder(), text = new TextDecoder();
    const streams = { 1: new TextDecoder(), 2: new TextDecoder() };    // a letter may come in two pieces
    const open = new Map([[0, { kind: TERMINAL }], [1, { kind: TERMINAL }], [2, { kind: TERMINAL }], [3, { kind: FOLDER }]]);
    let memory, next = 4;
    const view = () => new DataView(memory.buffer);
    const bytes = (at, count) => new Uint8Array(memory.buffer, at, count);
    const number = (at, value) => (view().setUint32(at, value, true), OK);
    const long = (at, value) => (view().setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true), OK);
    const path = (at, count) => "/" + text.decode(bytes(at, count)).replace(/^\/+/, "");

    function strings(list) {
      const ready = list.map((word) => encode.encode(word + "\0"));
      return {
        sizes: (count, size) => (number(count, ready.length), number(size, ready.reduce((sum, word) => sum + word.length, 0))),
        get(pointers, to) {
          for (const word of ready) {
            number(pointers, to);
            bytes(to, word.length).set(word);
            pointers += 4, to += word.length;
          }
          return OK;
        },
      };
    }
    function* pieces(list, count) {
      for (let at = list; at < list + 8 * count; at += 8) yield bytes(view().getUint32(at, true), view().getUint32(at + 4, true));
    }
    function status(to, kind, size) {
      bytes(to, 64).fill(0);
      view().setUint8(to + 16, kind);
      long(to + 24, 1);
      return long(to + 32, size);
    }
    function read(file, place, list, count, got) {
      let done = 0;
      for (const piece of pieces(list, count)) {
        const part = file.data.subarray(place + done, Math.min(place + done + piece.length, file.size));
        piece.set(part);
        done += part.length;
      }
      number(got, done);
      return done;
    }
    function append(file, piece) {
      const end = file.place + piece.length;
      if (end > file.data.length) {
        const larger = new Uint8Array(Math.max(end, 2 * file.data.length, 4096));
        larger.set(file.data.subarray(0, file.size));
        file.data = larger;
      }
      file.data.set(piece, file.place);
      file.place = end;
      file.size = Math.max(file.size, end);
    }

    const argv = strings(words), environment = strings(settings);
    const calls = {
      args_sizes_get: argv.sizes, args_get: argv.get, environ_sizes_get: environment.sizes, environ_get: environment.get,
      clock_res_get: (clock, to) => long(to, 1000),
      clock_time_get: (clock, precision, to) => long(to, Math.round((clock === 0 ? Date.now() : performance.now()) * 1e6)),
      random_get: (to, count) => (crypto.getRandomValues(bytes(to, count)), OK),
      proc_exit(code) { throw new Ended(code); },

      fd_write(fd, list, count, done) {
        const file = open.get(fd);
        if (!file || file.kind === FOLDER) return BAD_FILE;
        let all = 0;
        for (const piece of pieces(list, count)) {
          if (file.kind === TERMINAL) print(fd, streams[fd].decode(piece, { stream: true }));
          else append(file, piece);
          all += piece.length;
        }
        return number(done, all);
      },
      fd_read(fd, list, count, got) {
        const file = open.get(fd);
        if (fd === 0) return number(got, 0);
        if (file?.kind !== FILE) return BAD_FILE;
        file.place += read(file, file.place, list, count, got);
        return OK;
      },
      fd_pread(fd, list, count, place, got) {
        const file = open.get(fd);
        return file?.kind === FILE ? (read(file, Number(place), list, count, got), OK) : BAD_FILE;
      },
      fd_seek(fd, by, from, to) {
        const file = open.get(fd);
        if (file?.kind !== FILE) return file ? NO_SEEK : BAD_FILE;
        file.place = [0, file.place, file.size][from] + Number(by);
        return long(to, file.place);
      },
      fd_close(fd) {
        const file = open.get(fd);
        if (file?.written) files.set(file.written, file.data.slice(0, file.size));
        return open.delete(fd) ? OK : BAD_FILE;
      },
      fd_fdstat_get(fd, to) {
        const file = open.get(fd);
        if (!file) return BAD_FILE;
        bytes(to, 24).fill(0);
        view().setUint8(to, file.kind);
        const rights = file.kind === TERMINAL ? 0x40 : -1;             // a terminal may be written to, but has no places
        long(to + 8, rights);
        return long(to + 16, rights);
      },
      fd_fdstat_set_flags: () => OK,
      fd_filestat_get(fd, to) {
        const file = open.get(fd);
        return file ? status(to, file.kind, file.size ?? 0) : BAD_FILE;
      },
      fd_prestat_get: (fd, to) => (fd === 3 ? (number(to, 0), number(to + 4, 1)) : BAD_FILE),
      fd_prestat_dir_name: (fd, to) => (bytes(to, 1).set([47]), OK),
      path_open(folder, how, at, count, ways, rights, inherited, flags, to) {
        const name = path(at, count), known = files.get(name);
        if (!known && !(ways & CREATE)) return NOT_FOUND;
        const data = known && !(ways & EMPTY) ? known : new Uint8Array(0);
        open.set(next, { kind: FILE, data, size: data.length, place: 0, written: ways & CREATE ? name : "" });
        return number(to, next++);
      },
      path_filestat_get(folder, how, at, count, to) {
        const known = files.get(path(at, count));
        return known ? status(to, FILE, known.length) : NOT_FOUND;
      },
      path_unlink_file: (folder, at, count) => (files.delete(path(at, count)) ? OK : NOT_FOUND),
    };
    const wasi = new Proxy(calls, { get: (known, name) => known[name] ?? (() => UNKNOWN), has: () => true });
    return { imports: { wasi_snapshot_preview1: wasi }, bind(instance) { memory = instance.exports.memory; } };
  }

  // Runs a page of a compiled module once. Its exit status; 1 with a message where it ran out of memory or trapped.
  async function run(module, { words, settings = ["TERM=recto"], files, print }) {
    const around = surroundings({ words, settings, files, print });
    const instance = await WebAssembly.instantiate(module, around.imports);
    around.bind(instance);
    try {
      instance.exports._start();
      return 0;
    } catch (error) {
      if (error instanceof Ended) return error.status;
      print(2, `${words[0]}: ${error instanceof RangeError ? "the browser's stack or memory is too small for this" : error.message}\n`);
      return 1;
    }
  }
  return { run };
}

if (typeof module !== "undefined") module.exports = recto_host();
