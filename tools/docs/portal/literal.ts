/** Values as program text. */

const WIDTH = 88;
const LONGEST = 120;

/** As a JavaScript literal: keys bare, strings in single quotes, short things on one line. */
export function jsLiteral(value: unknown, indent = 0): string {
  return print(value, indent, {
    key: (key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key)),
    text: quote,
    open: '{ ',
    close: ' }',
    last: ',',
  });
}

/** As JSON, short things on one line; long Base64 is cut where nobody is to send it. */
export function jsonText(value: unknown, { cut = false }: { readonly cut?: boolean } = {}): string {
  return print(value, 0, {
    key: (key) => JSON.stringify(key),
    text: (text) => JSON.stringify(cut ? shortened(text) : text),
    open: '{',
    close: '}',
    last: '',
  });
}

const PYTHON_WORDS: ReadonlyMap<Word, string> = new Map<Word, string>([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
]);
/** As a Python literal. */
export function pythonLiteral(value: unknown, indent = 0): string {
  return print(value, indent, {
    key: (key) => JSON.stringify(key),
    text: (text) => JSON.stringify(text),
    word: (word) => PYTHON_WORDS.get(word) ?? String(word),
    open: '{',
    close: '}',
    last: ',',
    step: 4,
  });
}

type Word = number | boolean | null;
interface Style {
  readonly key: (key: string) => string;
  readonly text: (text: string) => string;
  /** A number, a boolean or null. */
  readonly word?: (word: Word) => string;
  readonly open: string;
  readonly close: string;
  /** Spaces for each level; two by default. */
  readonly step?: number;
  /** After the last of several lines. */
  readonly last: string;
}

function print(value: unknown, indent: number, style: Style): string {
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object' || value === null) return (style.word ?? String)(value as Word);
  const { step = 2 } = style;
  const pad = ' '.repeat(indent + step);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => print(each, indent + step, style))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => `${style.key(key)}: ${print(each, indent + step, style)}`);
  if (parts.length === 0) return isList ? '[]' : '{}';
  const [open, close] = isList ? ['[', ']'] : [style.open, style.close];
  const line = `${open}${parts.join(', ')}${close}`;
  if (indent + line.length <= WIDTH && !line.includes('\n')) return line;
  const lines = parts.map((part) => `${pad}${part}`).join(',\n');
  return `${open.trim()}\n${lines}${style.last}\n${' '.repeat(indent)}${close.trim()}`;
}

/** Pages of base64 say nothing to a reader. */
function shortened(text: string): string {
  return text.length > LONGEST && /^(data:|[A-Za-z0-9+/=]+$)/.test(text) ? `${text.slice(0, 48)}…` : text;
}

export function quote(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;
}
