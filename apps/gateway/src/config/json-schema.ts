/** The JSON Schema of the configuration file, for editors: made of the schema that the checks use. */
import * as z from 'zod';
import { configSchema, FREE } from './schema.ts';
import { SETTINGS, type Setting } from './settings.ts';

/** A JSON Schema, as far as it is read here. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly [more: string]: unknown;
}

/** `${NAME}` stands for a value of any form. */
const REFERENCE = { type: 'string', pattern: String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}` };
/** Its members are settings, too. */
const PRICES = new Set(['models[].price', 'accounts[].default_price']);
const SIZE = { type: 'string', pattern: String.raw`^\d+\s*([bB]|[kKmMgG][bB])?$` };
/** The largest whole number is no bound of ours. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** Makes the schema; every setting has its description, its default and its unit. */
export function configJsonSchema(): SchemaNode {
  const made = z.toJSONSchema(configSchema, { io: 'output', unrepresentable: 'any' }) as SchemaNode;
  return {
    ...described(made, ''),
    title: 'Configuration of the model gateway',
    description: 'A file that GATEWAY_CONFIG names; `gateway check-config` says what else is wrong with one.',
  };
}

/** A setting of the file: where it stands, its form, what is said of it. */
export interface ListedSetting {
  readonly path: string;
  readonly node: SchemaNode;
  readonly required: boolean;
  readonly setting: Setting | undefined;
}

/** Every setting, in the order of the schema. */
export function listSettings(): readonly ListedSetting[] {
  const made = z.toJSONSchema(configSchema, { io: 'output', unrepresentable: 'any' }) as SchemaNode;
  return settingsBelow(made, '', false);
}

function settingsBelow(node: SchemaNode, path: string, required: boolean): readonly ListedSetting[] {
  const inner = childrenOf(node, path);
  const own = SETTINGS[path] ?? (node.description === undefined ? undefined : { about: node.description });
  if (inner.length === 0 || own !== undefined) return [{ path, node, required, setting: own }];
  return inner.flatMap((child) => settingsBelow(child.node, child.path, child.required));
}

/** What has settings of its own below it: members, the items of a list of objects, any name of a table. */
function childrenOf(node: SchemaNode, path: string): readonly Omit<ListedSetting, 'setting'>[] {
  const { properties, items, additionalProperties: any, required = [] } = node;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const members = Object.entries(properties ?? {}).map(([name, each]) => ({
    path: at(name),
    node: each,
    required: required.includes(name),
  }));
  const named = typeof any === 'object' && (properties !== undefined || any.properties !== undefined);
  return [
    ...members,
    ...(items?.properties === undefined ? [] : childrenOf(items, `${path}[]`)),
    ...(named ? [{ path: at('*'), node: any, required: false }] : []),
  ];
}

function described(node: SchemaNode, path: string): SchemaNode {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const { properties, items, additionalProperties: any } = node;
  const whole: SchemaNode = {
    ...node,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, described(each, at(name))]),
      ),
    }),
    ...(items !== undefined && { items: described(items, `${path}[]`) }),
    ...(typeof any === 'object' && { additionalProperties: described(any, at('*')) }),
  };
  return said(withReferences(whole, path), SETTINGS[path]);
}

function said(node: SchemaNode, setting: Setting | undefined): SchemaNode {
  if (setting === undefined) return node;
  const unit = setting.unit === undefined ? '' : ` (${setting.unit})`;
  const usual = setting.default === undefined ? '' : ` Default: ${setting.default}.`;
  const { about } = setting;
  const isValue =
    typeof setting.default === 'number' || typeof setting.default === 'boolean' || isWordOf(node, setting);
  return {
    description: `${about.charAt(0).toUpperCase()}${about.slice(1)}${unit}.${usual}`,
    ...(isValue && { default: setting.default }),
    ...node,
  };
}

function isWordOf({ enum: words }: SchemaNode, setting: Setting): boolean {
  return typeof setting.default === 'string' && words?.includes(setting.default) === true;
}

/** Where the form is narrower than any text, a variable's name may stand in its place. */
function withReferences(node: SchemaNode, path: string): SchemaNode {
  const { maximum, ...rest } = node;
  const bounded: SchemaNode = maximum === undefined || maximum === UNBOUNDED ? rest : node;
  if (PRICES.has(path)) return { anyOf: [bounded, { enum: [FREE] }] };
  if (SETTINGS[path]?.unit === 'bytes') return { anyOf: [bounded, SIZE, REFERENCE] };
  const isNarrow =
    node.type === 'number' ||
    node.type === 'integer' ||
    node.type === 'boolean' ||
    (node.type === 'string' && (node.enum ?? node.pattern ?? node.format ?? node['minLength']) !== undefined);
  if (!isNarrow || node['minLength'] === 1) return bounded;
  if (node.format === 'starts_with') {
    const { format: _format, ...known } = bounded;
    return { anyOf: [known, REFERENCE] };
  }
  return { anyOf: [bounded, REFERENCE] };
}
