"use strict";
// Under each answer of the search: a piece of its page with the words that were looked for. Texts are scripts, for a page that is
// opened as a file may load them (recto_book/snippets.py).
(() => {
  const answers = document.querySelector("#search-results");
  const LENGTH = 200;              // letters of a piece
  const stemmer = new Stemmer();
  const stems = new Map();
  const texts = new Map();
  const waiting = new Map();       // page: the answers that want its text

  function stem(word) {
    if (!stems.has(word)) stems.set(word, stemmer.stemWord(word));
    return stems.get(word);
  }

  const query = new URLSearchParams(location.search).get("q") ?? "";
  const wanted = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])].filter((word) => !stopwords.has(word));

  // Which of the words stand where: [{from, to, word}].
  function places(text) {
    const found = [];
    for (const match of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
      const here = match[0].toLowerCase();
      const word = wanted.findIndex((w) => here === w || stem(here) === stem(w) || (w.length > 3 && here.startsWith(w)));
      if (word >= 0) found.push({ from: match.index, to: match.index + match[0].length, word });
    }
    return found;
  }

  // The piece of a text that has most of the words, begun with a sentence if one begins shortly before.
  function piece(text, found) {
    let best = { score: 0, from: 0 };
    found.forEach((first, n) => {
      const inside = found.slice(n).filter((place) => place.to - first.from < LENGTH);
      const joined = inside.filter((place, k) => k > 0 && place.from - inside[k - 1].to === 1 && place.word === inside[k - 1].word + 1);
      const score = 100 * new Set(inside.map((place) => place.word)).size + 10 * joined.length + Math.min(inside.length, 5);
      if (score > best.score) best = { score, from: first.from };
    });
    const before = text.slice(Math.max(0, best.from - 70), best.from);
    const sentence = before.search(/(?<=[.?!:]\s)\S[^.?!:]*$/u);
    let from = best.from - (sentence >= 0 ? before.length - sentence : 0);
    if (sentence < 0 && best.from > 0) from = best.from - before.length + Math.max(0, before.length - 30 + before.slice(-30).search(/\s/u) + 1);
    if (best.from <= 70) from = 0;
    let to = Math.min(text.length, from + LENGTH);
    if (to < text.length) to = from + text.slice(from, to).lastIndexOf(" ");
    return { from, to };
  }

  function show(answer, text) {
    if (!text) return;
    const found = places(text);
    const { from, to } = piece(text, found);             // without any of the words: how the page begins
    const line = document.createElement("p");
    line.className = "rx-snippet";
    let at = from;
    for (const place of found.filter((p) => p.from >= from && p.to <= to)) {
      const mark = document.createElement("mark");
      mark.textContent = text.slice(place.from, place.to);
      line.append(text.slice(at, place.from), mark);
      at = place.to;
    }
    line.prepend(from > 0 ? "… " : "");
    line.append(text.slice(at, to), to < text.length ? " …" : "");
    answer.append(line);
  }

  window.recto = {
    text(page, words) {
      texts.set(page, words);
      for (const answer of waiting.get(page)) show(answer, words);
    },
  };

  function load(answer) {
    const page = answer.querySelector("a").getAttribute("href").replace(/\.html(#.*)?$/u, "");
    if (texts.has(page)) return show(answer, texts.get(page));
    if (waiting.has(page)) return waiting.get(page).push(answer);
    waiting.set(page, [answer]);
    document.body.append(Object.assign(document.createElement("script"), { src: `texts/${page}.js` }));
  }

  const near = new IntersectionObserver((seen) => {
    for (const one of seen.filter((s) => s.isIntersecting)) { near.unobserve(one.target); load(one.target); }
  }, { rootMargin: "600px" });

  // One answer for each page: the search finds a page by its title, by the index and by its words.
  const pages = new Set();
  new MutationObserver((changes) => {
    for (const answer of changes.flatMap((change) => [...change.addedNodes])) {
      if (!(answer instanceof HTMLLIElement) || answer.classList.contains("kind-object")) continue;
      const key = `${answer.querySelector("a").getAttribute("href").replace(/#.*$/u, "")} ${answer.querySelector("a").textContent}`;
      if (pages.has(key)) { answer.remove(); continue; }
      pages.add(key);
      near.observe(answer);
    }
  }).observe(answers, { childList: true, subtree: true });
})();
