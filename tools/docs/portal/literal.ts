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

/** As JSON, short things on one line. */
export function jsonText(value: unknown, indent = 0): string {
  return print(value, indent, {
    key: (key) => JSON.stringify(key),
    text: (text) => JSON.stringify(text),
    open: '{',
    close: '}',
    last: '',
  });
}

interface Style {
  readonly key: (key: string) => string;
  readonly text: (text: string) => string;
  readonly open: string;
  readonly close: string;
  /** After the last of several lines. */
  readonly last: string;
}

function print(value: unknown, indent: number, style: Style): string {
  if (typeof value === 'string') return style.text(shortened(value));
  if (typeof value !== 'object' || value === null) return String(value);
  const pad = ' '.repeat(indent + 2);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => print(each, indent + 2, style))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => `${style.key(key)}: ${print(each, indent + 2, style)}`);
  if (parts.length === 0) return isList ? '[]' : '{}';
  const [open, close] = isList ? ['[', ']'] : [style.open, style.close];
  const line = `${open}${parts.join(', ')}${close}`;
  if (indent + line.length <= WIDTH && !line.includes('\n')) return line;
  const lines = parts.map((part) => `${pad}${part}`).join(',\n');
  return `${open.trim()}\n${lines}${style.last}\n${' '.repeat(indent)}${close.trim()}`;
}

/** Pages of base64 say nothing to a reader. */
export function shortened(text: string): string {
  return text.length > LONGEST && /^(data:|[A-Za-z0-9+/=]+$)/.test(text) ? `${text.slice(0, 48)}…` : text;
}

export function quote(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;
}
