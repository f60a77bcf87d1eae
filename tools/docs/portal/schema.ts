/** A schema as a list of fields that open one into the other. */
import { refName, resolve, type ApiDocument, type Schema } from './document.ts';
import { escape } from './html.ts';
import { inline, type MarkdownOptions } from './markdown.ts';
import type { ShownField } from './search-index.ts';

const DEEPEST = 6;
/** Fields below can still be read; the search finds what is above them. */
const DEEPEST_ANCHOR = 3;

export interface SchemaContext {
  readonly document: ApiDocument;
  readonly markdown: MarkdownOptions;
  /** Is told of every field with an anchor. */
  readonly onField?: (field: ShownField) => void;
}

interface Place {
  readonly depth: number;
  /** Schemas that are open above this one: a loop ends at its name. */
  readonly open: readonly string[];
  /** Anchors of fields begin with it: `createVideoTask`. Without it they have none. */
  readonly anchor?: string;
  /** Those that were given. */
  readonly anchors: Set<string>;
}

/** A body as HTML. With an anchor, its fields can be linked to: `createVideoTask.content.role`. */
export function schemaHtml(schema: Schema, context: SchemaContext, anchor?: string): string {
  return body(schema, context, { depth: 0, open: [], anchors: new Set(), ...(anchor !== undefined && { anchor }) });
}

function body(schema: Schema, context: SchemaContext, place: Place): string {
  const resolved = resolve(context.document, schema);
  const open = schema.$ref === undefined ? place.open : [...place.open, schema.$ref];
  const within = { ...place, open };
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (resolved.properties !== undefined) return properties(resolved, context, within);
  if (choices !== undefined) {
    const shown = choices.filter((choice) => isOpenable(choice, context, within));
    if (shown.length === 1 && shown[0] !== undefined) return body(shown[0], context, within);
    return `<div class="choices"><p class="quiet">One of</p>${shown
      .map((choice) => {
        const name = choice.$ref === undefined ? typeText(choice, context) : refName(choice.$ref);
        const description = resolve(context.document, choice).description;
        return `<details><summary><code>${escape(name)}</code>${description === undefined ? '' : `<span class="quiet">${inline(firstSentence(description), context.markdown)}</span>`}</summary>${body(choice, context, within)}</details>`;
      })
      .join('')}</div>`;
  }
  if (resolved.allOf !== undefined) return resolved.allOf.map((part) => body(part, context, within)).join('');
  if (resolved.items !== undefined && isOpenable(resolved.items, context, within))
    return body(resolved.items, context, within);
  return '';
}

function properties(schema: Schema, context: SchemaContext, place: Place): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    field(name, property, schema.required?.includes(name) === true, context, place),
  );
  const more =
    schema.additionalProperties === true && place.depth === 0
      ? '<li class="field quiet">Fields that are not listed pass through to the vendor.</li>'
      : '';
  return `<ul class="fields">${rows.join('')}${more}</ul>`;
}

function field(name: string, schema: Schema, required: boolean, context: SchemaContext, place: Place): string {
  const resolved = resolve(context.document, schema);
  const head = `<span class="field-name">${escape(name)}</span> <span class="type">${escape(typeText(schema, context))}</span>${required ? ' <span class="badge required">required</span>' : ''}`;
  const text = descriptionOf(schema, resolved, context);
  const limits = limitsOf(resolved);
  const anchor = place.anchor === undefined ? undefined : `${place.anchor}.${name}`;
  const isNew = anchor !== undefined && place.depth < DEEPEST_ANCHOR && !place.anchors.has(anchor);
  if (isNew) {
    place.anchors.add(anchor);
    context.onField?.({ id: anchor, name, text: schema.description ?? resolved.description ?? '' });
  }
  const inner =
    place.depth < DEEPEST && isOpenable(schema, context, place)
      ? body(schema, context, { ...place, depth: place.depth + 1, ...(anchor !== undefined && { anchor }) })
      : '';
  const about = text + limits;
  const open = isNew ? `<li class="field" id="${escape(anchor)}">` : '<li class="field">';
  if (inner === '') return `${open}${head}${about}</li>`;
  return `${open}${head}${about}<details><summary class="quiet">${escape(innerName(schema, resolved))}</summary>${inner}</details></li>`;
}

function innerName(schema: Schema, resolved: Schema): string {
  const of = resolved.items ?? schema;
  return of.$ref === undefined ? 'Fields' : `Fields of ${refName(of.$ref)}`;
}

function descriptionOf(schema: Schema, resolved: Schema, context: SchemaContext): string {
  const text = schema.description ?? resolved.description;
  return text === undefined ? '' : `<div class="about">${inline(text.trim(), context.markdown)}</div>`;
}

function limitsOf({ enum: values, minimum, maximum, pattern }: Schema): string {
  const parts = [
    ...(values === undefined
      ? []
      : [`One of ${values.map((value) => `<code>${escape(String(value))}</code>`).join(' ')}`]),
    ...(minimum === undefined ? [] : [`at least <code>${minimum}</code>`]),
    ...(maximum === undefined ? [] : [`at most <code>${maximum}</code>`]),
    ...(pattern === undefined ? [] : [`matches <code>${escape(pattern)}</code>`]),
  ];
  return parts.length === 0 ? '' : `<div class="limits quiet">${parts.join(', ')}</div>`;
}

/** Whether there is anything inside to show. */
function isOpenable(schema: Schema, context: SchemaContext, place: Place): boolean {
  if (schema.$ref !== undefined && place.open.includes(schema.$ref)) return false;
  const resolved = resolve(context.document, schema);
  const open = schema.$ref === undefined ? place.open : [...place.open, schema.$ref];
  const within = { ...place, open };
  if (resolved.properties !== undefined) return Object.keys(resolved.properties).length > 0;
  if (resolved.items !== undefined) return isOpenable(resolved.items, context, within);
  return [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])].some((each) =>
    isOpenable(each, context, within),
  );
}

/** `array of VideoTask`, `string or null`, `"video"` */
export function typeText(schema: Schema, { document }: SchemaContext): string {
  const text = (each: Schema, depth: number): string => {
    if (each.const !== undefined) return JSON.stringify(each.const);
    if (each.$ref !== undefined) {
      const target = resolve(document, each);
      return target.properties === undefined && target.anyOf === undefined && depth < 3
        ? text(target, depth + 1)
        : refName(each.$ref);
    }
    const choices = each.anyOf ?? each.oneOf;
    if (choices !== undefined) return [...new Set(choices.map((choice) => text(choice, depth + 1)))].join(' or ');
    const type = [each.type ?? (each.properties === undefined ? 'any' : 'object')].flat();
    return type
      .map((word) =>
        word === 'array' && each.items !== undefined
          ? `array of ${text(each.items, depth + 1)}`
          : word === 'string' && each.format === 'binary'
            ? 'file'
            : word,
      )
      .join(' or ');
  };
  return text(schema, 0);
}

export function firstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(text.trim())?.[0] ?? text.trim();
}
