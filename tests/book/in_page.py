"""What is asked of a page, in the browser: scripts for Browser.value."""
AXE = """(async () => {                 // where, what; every violation as a line
  const told = await axe.run(%s, {preload: false, resultTypes: ['violations'], ...%s});
  return told.violations.map(v => `${v.id}: ${v.help}: ` + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' +
    n.html.slice(0, 90) + ' ' + (n.any[0]?.message ?? '')).join(' | '));
})()"""
LOOKS = """(() => {                     // two elements with words of each look that is not known; the looks
  const known = new Set(%s), seen = new Map(), grounds = new Map([[null, ' 1']]);
  const ground = e => {                 // behind an element, and how opaque what covers it is
    if (!grounds.has(e)) {
      const s = getComputedStyle(e), [below, opacity] = ground(e.parentElement).split(' ');
      const clear = ['rgba(0, 0, 0, 0)', 'transparent'].includes(s.backgroundColor);
      grounds.set(e, `${clear ? below : s.backgroundColor.replaceAll(' ', '')} ${opacity * s.opacity}`);
    }
    return grounds.get(e);
  };
  const found = [...document.body.querySelectorAll('*')].filter(e => {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.nodeValue.trim()) || e.closest('svg') || !e.checkVisibility())
      return false;
    const s = getComputedStyle(e), large = parseFloat(s.fontSize) >= (s.fontWeight >= 700 ? 18.66 : 24);    // as WCAG has it
    const look = [s.color, large, ground(e)].join();
    if (!known.has(look)) seen.set(look, (seen.get(look) ?? 0) + 1);
    return seen.get(look) <= 2;
  });
  window.looks = [...new Set([...window.looks ?? [], ...found])];
  return [...seen.keys()];
})()"""
THIN = """(() => {                      // of what is there many times, the first few
  const keep = new Set(), words = new Map();
  for (let e of looks) for (; e; e = e.parentElement) keep.add(e);
  const count = (times, key) => times.set(key, (times.get(key) ?? 0) + 1).get(key);
  const thin = (parent, above) => {
    const siblings = new Map();
    for (const e of [...parent.children]) {
      const here = [`${e.tagName}.${e.getAttribute('class')}`, ...above].slice(0, 4);
      const word = !e.firstElementChild && e.closest('pre, svg') && !e.closest('a, button');
      const many = count(siblings, here[0]) > (e.matches('tr, li, pre *, svg *') ? 8 : 40) || word && count(words, here.join()) > 8;
      if (many && !keep.has(e)) e.remove(); else thin(e, here);
    }
  };
  thin(document.body, []);
})()"""
ALIVE = """(async () => {
  const plots = [...document.querySelectorAll('.rx-plot')].filter(p => p.querySelector(':scope > script'));
  for (const p of plots) {
    p.scrollIntoView({behavior: 'instant'});
    for (let i = 0; i < 100 && !p.classList.contains('is-live'); ++i) await new Promise(r => setTimeout(r, 50));
  }
  window.scrollTo({top: 0, behavior: 'instant'});
  return plots.filter(p => !p.classList.contains('is-live')).length;
})()"""
OPEN = "document.querySelectorAll('details').forEach(d => { d.removeAttribute('name'); d.open = true; })"
OVER = """(() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide <= 0) return '';
  const worst = [...document.querySelectorAll('article *')].find(e => e.getBoundingClientRect().right > innerWidth + 1);
  return `${wide} pixels, first ${worst ? worst.tagName + '.' + worst.className : 'outside the article'}`;
})()"""
CLIPPED = """(() => {                   // formulas of which something is out of sight and cannot be scrolled to, or of which a third is
  const cut = new Map();
  for (const formula of document.querySelectorAll('.katex')) {
    if (!formula.checkVisibility()) continue;
    const ink = [...formula.querySelectorAll('.katex-html .base')].map(e => e.getBoundingClientRect()).filter(r => r.width);
    const [left, right] = [Math.min(...ink.map(r => r.left)), Math.max(...ink.map(r => r.right))];
    for (let box = formula; box && ink.length; box = box.parentElement) {
      const scrolls = ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
      const [from, to] = box === document.documentElement ? [0, innerWidth]
        : [box.getBoundingClientRect().left, box.getBoundingClientRect().right];
      if (getComputedStyle(box).overflowX === 'visible' && box !== document.documentElement) continue;
      const over = Math.round(Math.max(from - left, right - to));
      if (over > 1 && !(scrolls && box.tabIndex === 0 && over < (to - from) / 2)) cut.set(formula, over);
      if (scrolls) break;
    }
  }
  return [...cut].slice(0, 3).map(([formula, over]) => `${(formula.querySelector('annotation') ?? formula).textContent.slice(0, 60)}: ${over} pixels`)
    .concat(cut.size > 3 ? [`${cut.size - 3} more`] : []);
})()"""
BEGIN = """(() => {
  const shown = e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.getClientRects().length;
  const scrolls = e => e.scrollWidth > e.clientWidth + 1;
  const all = s => [...document.querySelectorAll(s)].filter(shown);
  const boxes = all('.rx-values, .rx-table, .rx-listing, .table-wrapper, .rx-options');
  window.wanted = {
    sliders: all('input[type=range]'), folds: all('summary'),
    questions: all('.rx-ask summary, .rx-ask input, .rx-ask button'),
    tables: boxes.filter(b => scrolls(b) || b.tabIndex === 0),
    controls: all('article a[href], article button, article input, article select, article [tabindex="0"]'),
  };
  window.reached = new Set();
  document.addEventListener('focusin', e => reached.add(e.target));
  document.activeElement?.blur();
  return document.querySelectorAll('a[href], button, input, select, summary, textarea, [tabindex]').length;
})()"""
END = """(() => {
  const out = {unreached: []};
  for (const [kind, list] of Object.entries(wanted)) {
    out[kind] = list.length;
    const lost = list.filter(e => !reached.has(e));
    if (lost.length) out.unreached.push(`${lost.length} ${kind}: ` + lost[0].outerHTML.slice(0, 90));
  }
  out.tables = document.querySelectorAll('table').length;
  return out;
})()"""
