/** Where people's and models' words stand in bodies and events, for whoever looks through them or changes them. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** A text, by what holds it. */
export interface TextPlace {
  readonly in: JsonObject | Json[];
  readonly at: string | number;
  /** `messages[2].content[0].text` */
  readonly param: string;
  /** The text is JSON itself, or a piece of it: arguments of a call. */
  readonly isJson?: true;
  /** A number, or the name of a member, in place of a text. */
  readonly kind?: 'number' | 'name';
}

/** A piece of a text that comes in several events. */
export interface TextPiece extends TextPlace {
  /** The same for all pieces of one text. */
  readonly of: string;
  /** Texts of one lane come one after the other: a piece of the next ends the one before. */
  readonly lane: string;
}

/** What one event of a stream has. */
export interface EventTexts {
  readonly pieces: readonly TextPiece[];
  /** Texts that are there whole: repetitions, and what comes at once. */
  readonly wholes: readonly TextPlace[];
  /** Lanes in which nothing more is said for now; `all` at the end of the answer. */
  readonly closes: readonly string[] | 'all';
}

export interface DialectTexts {
  /** Of a conversation and its instructions. */
  inRequest(body: JsonObject): readonly TextPlace[];
  /** Of what a request declares: descriptions of tools, the form that an answer is to have. Not names, which are referred to. */
  inDeclarations(body: JsonObject): readonly TextPlace[];
  inReply(body: JsonObject): readonly TextPlace[];
  inEvent(data: JsonObject): EventTexts;
  /**
   * Takes out what says the words of an answer or event once more, token by token, where these were changed, or where tokens are not those of
   * the same event. Returns whether there was anything.
   */
  dropTokens(data: JsonObject, isChanged: boolean): boolean;
}

/**
 * What a member is, by where it stands: `none` has no words (what something is, ids, media, opaque state), `words` has texts, at any depth;
 * `free` is JSON of the caller's or the model's own, whose numbers and names are looked at, too; `json` is a text of such JSON.
 */
export type Place = 'none' | 'words' | 'free' | 'json' | Shape | ((value: JsonObject) => Place);

/** An object of the dialect's. What it does not name has words, so that new members are seen. A list is each of its elements, a text is one. */
export interface Shape {
  readonly none?: readonly string[];
  readonly in?: Readonly<Record<string, Place>>;
  /** Of all members that are not named. */
  readonly others?: Place;
}

/** JSON of less than this says nothing about anybody. */
const LEAST_TELLING = 1_000;

/** Every text of a value, in order. */
export function textsIn(value: Json | undefined, place: Place, param: string): readonly TextPlace[] {
  if (value === undefined) return [];
  return new TextCollector().collected({ root: value }, 'root', { place, param });
}

/** Every text of a body's members, by the order in which they are named. */
export function textsOf(body: JsonObject, places: Readonly<Record<string, Place>>, param = ''): readonly TextPlace[] {
  const collector = new TextCollector();
  for (const [name, place] of Object.entries(places))
    if (body[name] !== undefined)
      collector.collected(body, name, { place, param: param === '' ? name : `${param}.${name}` });
  return collector.found;
}

interface Where {
  readonly place: Place;
  readonly param: string;
}

class TextCollector {
  readonly found: TextPlace[] = [];

  collected(holder: JsonObject | Json[], at: string | number, { place, param }: Where): readonly TextPlace[] {
    const value = (holder as Record<string | number, Json>)[at];
    const { found } = this;
    if (place === 'none') return found;
    if (typeof value === 'string') {
      if (value !== '') found.push({ in: holder, at, param, ...(place === 'json' && { isJson: true }) });
    } else if (typeof value === 'number') {
      if ((place === 'free' || place === 'json') && Number.isInteger(value) && Math.abs(value) >= LEAST_TELLING)
        found.push({ in: holder, at, param, isJson: true, kind: 'number' });
    } else if (Array.isArray(value)) {
      value.forEach((_, index) => this.collected(value, index, { place, param: `${param}[${index}]` }));
    } else if (isJsonObject(value)) this.inObject(value, { place, param });
    return found;
  }

  private inObject(value: JsonObject, { place, param }: Where): void {
    const own = typeof place === 'function' ? place(value) : place;
    if (typeof own === 'function') {
      this.inObject(value, { place: own, param });
      return;
    }
    for (const name of Object.keys(value)) {
      this.collected(value, name, { place: memberOf(own, name), param: `${param}.${name}` });
      // Behind its value: the value is found by it.
      if (own === 'free' || own === 'json') this.found.push({ in: value, at: name, param, kind: 'name' });
    }
  }
}

function memberOf(place: Exclude<Place, (value: JsonObject) => Place>, name: string): Place {
  if (typeof place === 'string') return place === 'json' ? 'free' : place;
  if (place.none?.includes(name) === true) return 'none';
  const known = place.in;
  return known !== undefined && Object.hasOwn(known, name) ? (known[name] ?? 'none') : (place.others ?? 'words');
}

/** A JSON schema: what is said in it, not the names that it gives. */
export const SCHEMA: Shape = {
  none: [
    ...['type', 'format', '$ref', '$schema', '$id', '$anchor', 'required', 'propertyOrdering', 'property_ordering'],
    ...['contentEncoding', 'contentMediaType'],
  ],
  in: {
    ...Object.fromEntries(
      ['properties', 'patternProperties', '$defs', 'definitions'].map((name) => [name, (): Place => SCHEMAS]),
    ),
    ...Object.fromEntries(
      ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'contains']
        .concat(['additionalProperties', 'propertyNames'])
        .map((name) => [name, (): Place => SCHEMA]),
    ),
    ...{ enum: 'free', const: 'free', default: 'free', examples: 'free', example: 'free' },
  },
};
const SCHEMAS: Shape = { others: () => SCHEMA };

/** The definition of a tool, however a dialect wraps it. */
export const TOOL: Shape = {
  in: {
    ...{ description: 'words', server_description: 'words', input_examples: 'free' },
    ...{ parameters: SCHEMA, input_schema: SCHEMA, parametersJsonSchema: SCHEMA, parameters_json_schema: SCHEMA },
    ...{ response: SCHEMA, responseJsonSchema: SCHEMA, response_json_schema: SCHEMA, output_schema: SCHEMA },
    format: { in: { definition: 'words' }, others: 'none' },
    ...Object.fromEntries(
      ['function', 'custom', 'tools', 'functionDeclarations', 'function_declarations'].map((name) => [
        name,
        (): Place => TOOL,
      ]),
    ),
  },
  others: 'none',
};

/** The text at a place. */
export function textAt({ in: holder, at, kind }: TextPlace): string {
  return kind === 'name' ? String(at) : named((holder as Record<string | number, Json>)[at]);
}

/** Puts another text there. A number stays one. */
export function putText({ in: holder, at, kind }: TextPlace, text: string): void {
  const values = holder as Record<string | number, Json>;
  if (kind === 'name') rename(holder as JsonObject, String(at), text);
  else if (kind === 'number') values[at] = Number.isFinite(Number(text)) ? Number(text) : 0;
  else values[at] = text;
}

/** Members stay in their order. */
function rename(holder: JsonObject, from: string, to: string): void {
  const members = Object.entries(holder);
  let name = to;
  for (let count = 2; Object.hasOwn(holder, name); count++) name = `${to} ${count}`;
  for (const [each] of members) Reflect.deleteProperty(holder, each);
  for (const [each, value] of members) holder[each === from ? name : each] = value;
}

/** An index or an id as text; `other` where it is neither. */
export function named(value: Json | undefined, other: string | number = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : String(other);
}

/** The objects of a list. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
