/// <reference lib="dom" />
/** What a page looks like, measured in the browser: each function is sent there whole and may use nothing from outside itself. */
/* oxlint-disable typescript/no-unnecessary-condition -- styles and layers are the browser's */

/** Texts with less contrast than 4.5 (3 where they are large), as "text: ratio". */
export function lowContrast(): string[] {
  type Colour = readonly [number, number, number, number];
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const colours = new Map<string, Colour>();
  const colourOf = (text: string): Colour => {
    let found = colours.get(text);
    if (found === undefined && canvas !== null) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
      found = [r, g, b, a / 255];
      colours.set(text, found);
    }
    return found ?? [0, 0, 0, 1];
  };
  const over = ([r, g, b, a]: Colour, under: Colour): Colour => [
    r * a + under[0] * (1 - a),
    g * a + under[1] * (1 - a),
    b * a + under[2] * (1 - a),
    1,
  ];
  const behind = (element: Element | null): Colour => {
    if (element === null) return [255, 255, 255, 1];
    const own = colourOf(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(element.parentElement));
  };
  const light = ([r, g, b]: Colour): number => {
    const [x = 0, y = 0, z = 0] = [r, g, b].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const found = new Map<string, string>();
  // One of each kind is looked at: what differs is said by classes.
  const seen = new Set<string>();
  const isNew = (element: Element): boolean => {
    const kind: string[] = [];
    for (let at: Element | null = element; at !== null; at = at.parentElement)
      kind.push(`${at.tagName}.${at.getAttribute('class') ?? ''}`);
    const key = kind.join(' ');
    return !seen.has(key) && seen.add(key).size > 0;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent?.trim() ?? '';
    if (element === null || text === '' || /^(SCRIPT|STYLE|TITLE)$/.test(element.tagName)) continue;
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    if (!isNew(element)) continue;
    const style = getComputedStyle(element);
    const under = behind(element);
    const ink = element.closest('svg') === null ? style.color : style.fill;
    const values = [light(over(colourOf(ink), under)), light(under)];
    const ratio = (Math.max(...values) + 0.05) / (Math.min(...values) + 0.05);
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5))
      found.set(`${style.color} on ${under.map(Math.round).join(' ')}`, `${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return [...found].map(([colours, text]) => `${text} (${colours})`).slice(0, 8);
}

/** What is wider than the page, and tables and texts that are wider than their place. Code scrolls where it is. */
export function overflowing(): string[] {
  const found: string[] = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} wide`);
  for (const element of document.querySelectorAll('.table, h1, h2, h3, main p, main li, .field, .route'))
    if (element.scrollWidth > element.clientWidth + 1 && element.checkVisibility())
      found.push(
        `${element.tagName} ${element.textContent?.trim().slice(0, 50) ?? ''}: ${element.scrollWidth} in ${element.clientWidth}`,
      );
  for (const svg of document.querySelectorAll<SVGSVGElement>('.drawing svg')) {
    const boxes = [...svg.querySelectorAll('rect')].map((rect) => rect.getBBox());
    for (const text of svg.querySelectorAll('text')) {
      const { x, y, width } = text.getBBox();
      const box = boxes.find(
        (each) => each.x < x && x < each.x + each.width && each.y < y + 8 && y < each.y + each.height,
      );
      if (box === undefined || x + width > box.x + box.width) found.push(`drawn text ${text.textContent}`);
    }
  }
  return found.slice(0, 8);
}

/** Titles of pages and operations that take more than one line. */
export function wrappedTitles(): string[] {
  return [...document.querySelectorAll('h1, .operation h2')]
    .filter((title) => title.getClientRects()[0] !== undefined)
    .filter((title) => title.clientHeight > Number.parseFloat(getComputedStyle(title).lineHeight) * 1.5)
    .map((title) => title.textContent?.trim() ?? '');
}
