// What of a page can be judged without axe-core, in milliseconds where its rules take a tenth of a second: whether each text can surely be read, whether each target
// is surely large enough, and whether anything that its other rules ask for has changed since they were asked. Whatever is in doubt is asked of axe-core.
// Arguments: the names of the rules to ask, whether contrast is asked of axe-core in any case, and what is called with the lines.
const [tags, everyContrast, done] = arguments;
const memo = (work) => {
  const known = new Map();
  return (e) => {
    if (!known.has(e)) known.set(e, work(e));
    return known.get(e);
  };
};
const style = memo((e) => getComputedStyle(e));
const box = memo((e) => e.getBoundingClientRect());
const everything = [...document.querySelectorAll('*')];
const visible = new Set(everything.filter((e) => e.checkVisibility({ visibilityProperty: true })));
const onPage = [...visible].filter((e) => document.body.contains(e));
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// Contrast, by the formula of WCAG.
const colour = (text) => {
  const [, numbers] = /^rgba?\(([^)]*)\)$/.exec(text) ?? [];
  if (!numbers) return null;
  const [r, g, b, a = 1] = numbers.split(/[ ,/]+/).map(Number);
  return { r, g, b, a };
};
const over = (top, below) => {
  const mix = (x, y) => x * top.a + y * (1 - top.a);
  return { r: mix(top.r, below.r), g: mix(top.g, below.g), b: mix(top.b, below.b), a: 1 };
};
const luminance = ({ r, g, b }) => {
  const part = (x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const ratio = (a, b) => {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
};
const isMoved = (e) => style(e).position !== 'static' || style(e).transform !== 'none';
const painted = onPage.filter((e) => colour(style(e).backgroundColor)?.a !== 0 || style(e).backgroundImage !== 'none');
const FIELD = 'input:not([type=hidden], [type=checkbox], [type=radio], [type=range], [type=color]), select, textarea';
const showsText = (e) =>
  e.matches(FIELD) || [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());

// Surely: its colour and all colours behind it are plain, and nothing but what it stands in is painted where it is.
const canSurelyBeRead = (text) => {
  const own = style(text);
  const front = colour(own.color);
  if (front?.a !== 1 || own.textShadow !== 'none' || own.webkitTextFillColor !== own.color) return false;
  const layers = [];
  let ground = null;
  let moved = false;
  for (let e = text; e; e = e.parentElement) {
    const look = style(e);
    if (look.opacity !== '1' || look.filter !== 'none' || look.mixBlendMode !== 'normal') return false;
    if (ground) continue;
    const back = colour(look.backgroundColor);
    if (!back || look.backgroundImage !== 'none') return false;
    if (back.a > 0) layers.push(back);
    if (back.a === 1) ground = e;
    else moved ||= isMoved(e);
  }
  if (!ground) return false;
  const isBehind = (e) => !e.contains(text) && !text.contains(e) && meet(box(e), box(text))
    && (ground.contains(e) || (moved && isMoved(e)));
  if (painted.some(isBehind)) return false;
  const size = parseFloat(own.fontSize);
  const isLarge = size >= 24 || (size >= 18.67 && Number(own.fontWeight) >= 700);
  return ratio(front, layers.reduceRight((below, top) => over(top, below))) >= (isLarge ? 3 : 4.5);
};

// What stands still while the page moves under it covers something else a moment later.
const standsStill = memo((e) => Boolean(e) && (/fixed|sticky/.test(style(e).position) || standsStill(e.parentElement)));
const targets = onPage.filter((e) => e.tabIndex >= 0 && style(e).display !== 'inline' && box(e).width * box(e).height > 1);
const isSurelyLargeEnough = (target) => box(target).width > 23.95 && box(target).height > 23.95
  && !targets.some((e) => e !== target && meet(box(e), box(target)) && standsStill(e) === standsStill(target));

// What the answers of all other rules depend on: the markup, what of it is seen, where it can be scrolled, and how links in a text are told from it.
let print = 0;
const stamp = (text) => {
  for (let at = 0; at < text.length; at += 1) print = (Math.imul(print, 31) + text.charCodeAt(at)) | 0;
};
stamp(document.documentElement.outerHTML);
for (const e of everything) {
  if (!visible.has(e)) {
    stamp('-');
    continue;
  }
  const { width, height, right, bottom } = box(e);
  const { overflow, display, textDecorationLine, color, fontWeight } = style(e);
  const scrolls = /auto|scroll/.test(overflow) && (e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth);
  const isPlainLink = e.matches('a, [role=link]') && display === 'inline' && textDecorationLine === 'none';
  const link = isPlainLink && showsText(e.parentElement) ? [color, style(e.parentElement).color, fontWeight] : '';
  stamp([width * height > 1 && right > 0 && bottom > 0, scrolls, link, e.checked, e.disabled, e.value].join());
}

const asked = (window.auraAsked ??= new Set());
const isNew = !asked.has(print);
const inDoubt = {
  'color-contrast': everyContrast || !onPage.filter(showsText).every(canSurelyBeRead),
  'target-size': !targets.every(isSurelyLargeEnough),
};
const rules = Object.keys(inDoubt).filter((rule) => inDoubt[rule]);
if (!isNew && rules.length === 0) {
  done([]);
} else {
  const which = isNew
    ? { runOnly: tags, rules: Object.fromEntries(Object.entries(inDoubt).map(([rule, enabled]) => [rule, { enabled }])) }
    : { runOnly: { type: 'rule', values: rules } };
  axe.run(document, { ...which, resultTypes: ['violations'] }).then(({ violations }) => {
    if (violations.length === 0) asked.add(print);
    done(violations.map((found) =>
      `${found.id}: ${found.help}: ${found.nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`));
  });
}
