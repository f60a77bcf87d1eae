/** The guide page of all settings. */
import { listSettings, type ListedSetting, type SchemaNode } from './json-schema.ts';

const HEAD = `# Settings

Every setting of the [configuration](configuration.md) file with its default and its unit. The page is made of the schema that the checks use (\`node tools/settings.mjs\`), as is the JSON Schema for editors, which \`gateway config-schema\` prints and a
running gateway has at \`/docs/gateway.schema.json\`.

\`[]\` is any row of a list, \`*\` any name. Where nothing stands in the third column, nothing is taken.
`;

/** What the sections are about. */
const SECTIONS: Readonly<Record<string, string>> = {
  extends: 'Layers',
  remove: 'Layers',
  server: 'Server',
  database: 'Storage',
  redis: 'Storage',
  money: 'Money',
  durability: 'Storage',
  files: 'Files',
  twin: 'The twin',
  tasks: 'Tasks',
  security: 'Security',
  log: 'Log',
  telemetry: 'Telemetry',
  usage_export: 'Usage export',
  alerts: 'Alerts',
  groups: 'Groups',
  keys: 'Keys',
  accounts: 'Accounts',
  models: 'Models',
  guardrails: 'Guardrails',
};

/** Markdown of the page. Throws when a setting has no description. */
export function settingsPage(): string {
  const settings = listSettings();
  const silent = settings.filter(({ setting }) => setting === undefined).map(({ path }) => path);
  if (silent.length > 0) throw new Error(`settings.ts says nothing of ${silent.join(', ')}`);
  const sections = Map.groupBy(settings, ({ path }) => {
    const [top = ''] = path.split(/[.[]/);
    return SECTIONS[top] ?? `${top.charAt(0).toUpperCase()}${top.slice(1).replaceAll('_', ' ')}`;
  });
  return [
    HEAD,
    ...[...sections].map(
      ([title, rows]) =>
        `## ${title}\n\n| Setting | Form | Default | Meaning |\n| --- | --- | --- | --- |\n${rows.map(rowOf).join('\n')}\n`,
    ),
  ].join('\n');
}

function rowOf({ path, node, required, setting }: ListedSetting): string {
  const usual =
    setting?.default === undefined ? (required ? 'needed' : '') : defaultText(setting.default, setting.unit);
  const unit = setting?.unit === undefined ? '' : ` (${setting.unit})`;
  return `| \`${path}\` | ${formOf(node)} | ${usual} | ${cell(setting?.about ?? '')}${unit} |`;
}

const SCALES = [
  ['gb', 1024 ** 3],
  ['mb', 1024 ** 2],
  ['kb', 1024],
] as const;

function defaultText(value: string | number | boolean, unit: string | undefined): string {
  if (typeof value === 'string') return value.includes(' ') ? value : `\`${value}\``;
  const scale = unit === 'bytes' ? SCALES.find(([, size]) => Number(value) % size === 0) : undefined;
  return scale === undefined ? `\`${value}\`` : `\`${Number(value) / scale[1]}${scale[0]}\``;
}

/** Several of a form; lists of others are written as texts. */
const PLURALS: Readonly<Record<string, string>> = { number: 'numbers', 'whole number': 'whole numbers' };

function formOf({ type, enum: words, items, anyOf, additionalProperties: any }: SchemaNode): string {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (Array.isArray(anyOf)) return (anyOf as SchemaNode[]).map(formOf).join(' or ');
  if (items !== undefined)
    return `list of ${items.enum === undefined ? (PLURALS[formOf(items)] ?? 'texts') : formOf(items)}`;
  if (type === 'integer') return 'whole number';
  if (type === 'boolean') return 'true or false';
  if (type === 'object') return typeof any === 'object' ? 'table' : 'object';
  if (type === undefined) return 'any';
  return type === 'string' ? 'text' : type;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
