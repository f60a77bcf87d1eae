/** A proposed row as people put it into the configuration. Pure. */

/** What YAML takes for something else than a text, and texts with signs of its own. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|~|[\d.+-].*)$/i;
const PLAIN = /^[A-Za-z][\w./@-]*$/;

/** The row as an item of `models`, without that word: a file that has the list already cannot have it twice. */
export function yamlOf(name: string, value: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(value).map(([member, of]) => `    ${scalar(member)}: ${flow(of)}`);
  return [`  - code: ${scalar(name)}`, ...members].join('\n');
}

/** The command that puts it into the database, over what the database has of the row. */
export function commandOf(name: string, value: object): string {
  return `npx gateway config set ${quoted(`models/${name}`)} ${quoted(JSON.stringify(value))} --merge`;
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, of]) => `${scalar(name)}: ${flow(of)}`)
      .join(', ')} }`;
  return typeof value === 'string' ? scalar(value) : JSON.stringify(value);
}

/** A JSON text is a text of YAML, too. */
function scalar(text: string): string {
  return PLAIN.test(text) && !NO_TEXT.test(text) ? text : JSON.stringify(text);
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
