/** Checks a body against the document for a path it was not sent to. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { openApiDocument } from './document.ts';
import { matchOperation, type Operation } from './route-table.ts';

let ajv: Ajv2020 | undefined;
const checks = new Map<Operation['id'], ValidateFunction>();

/** Throws `invalid_request` naming the field, as the endpoint itself would. A path the document does not have is not checked. */
export function checkBody(path: string, body: JsonObject): void {
  const { operation } = matchOperation('POST', path);
  const check = operation === undefined ? undefined : checkOf(operation);
  if (check === undefined || check(body)) return;
  const faults = (check.errors ?? []).map((fault) => ({
    path: fault.instancePath + missingIn(fault),
    message: fault.message ?? 'does not match the document',
  }));
  const told = faultToTell(faults);
  const place = placeOf(told?.path ?? '');
  throw new GatewayError(
    'invalid_request',
    `${place === '' ? 'the body' : place} ${told === undefined ? 'does not match the document' : wordsOf(told, faults)}`,
    place === '' ? {} : { param: place },
  );
}

/** A missing field is named itself, not what it is missing in. */
function missingIn({ keyword, params }: ErrorObject): string {
  const missing: unknown = keyword === 'required' ? params['missingProperty'] : undefined;
  return typeof missing === 'string' ? `/${missing}` : '';
}

function checkOf({ id, path }: Operation): ValidateFunction | undefined {
  const known = checks.get(id);
  if (known !== undefined) return known;
  const way = ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  if (!has(openApiDocument(), way)) return undefined;
  const pointer = way.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const check = compiler().compile({ $ref: `document#${encodeURI(pointer)}` });
  checks.set(id, check);
  return check;
}

function has(from: unknown, [name, ...rest]: readonly string[]): boolean {
  return name === undefined ? from !== undefined : isJsonObject(from) && has(from[name], rest);
}

function compiler(): Ajv2020 {
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(openApiDocument(), 'document');
  }
  return ajv;
}

/** `/messages/0/role` → `messages[0].role` */
function placeOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`), '');
}

/** What the validator finds, in plain words: it speaks of schemas, callers read of their fields. */

export interface ValidatorFault {
  readonly path: string;
  readonly message: string;
}

/** The fault to tell of: where a field may be several things, what is wrong inside the one that was meant. */
export function faultToTell(faults: readonly ValidatorFault[]): ValidatorFault | undefined {
  const first = faults[0];
  if (first === undefined) return undefined;
  const inside = faults.find(({ path }) => path.startsWith(`${first.path}/`));
  if (inside === undefined) return first;
  return faultToTell(faults.filter(({ path }) => path === inside.path || path.startsWith(`${inside.path}/`)));
}

/** The rest of a sentence that begins with the field: `must be a string, an array or null`. */
export function wordsOf(told: ValidatorFault, all: readonly ValidatorFault[]): string {
  const types = all
    .filter(({ path }) => path === told.path)
    .flatMap(({ message }) => TYPES.exec(message)?.[1]?.split(',') ?? []);
  if (TYPES.test(told.message)) return `must be ${either([...new Set(types)].flatMap((type) => NOUNS[type] ?? type))}`;
  for (const [pattern, words] of PHRASES) {
    const found = pattern.exec(told.message);
    if (found !== null) return words(found[1] ?? '');
  }
  return told.message;
}

const TYPES =
  /^must be ((?:string|array|object|integer|number|boolean|null)(?:,(?:string|array|object|integer|number|boolean|null))*)$/;
const NOUNS: Readonly<Record<string, string | readonly string[]>> = {
  string: 'a string',
  array: 'an array',
  object: 'an object',
  integer: 'a whole number',
  number: 'a number',
  boolean: ['true', 'false'],
};

const PHRASES: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^must have required property '/, () => 'is missing'],
  [/^must be equal to one of the allowed values: (.+)$/, (words) => `must be ${either(words.split(', '))}`],
  [/^must NOT have fewer than (\d+) items$/, (least) => `must have ${counted(least, 'item')} or more`],
  [/^must NOT have more than (\d+) items$/, (most) => `must have at most ${counted(most, 'item')}`],
  [/^must NOT have fewer than (\d+) characters$/, (least) => `must have ${counted(least, 'character')} or more`],
  [/^must NOT have more than (\d+) characters$/, (most) => `must have at most ${counted(most, 'character')}`],
  [/^must be >= (-?[\d.]+)$/, (least) => `must be ${least} or more`],
  [/^must be <= (-?[\d.]+)$/, (most) => `must be ${most} or less`],
  [/^must be > (-?[\d.]+)$/, (least) => `must be more than ${least}`],
  [/^must be < (-?[\d.]+)$/, (most) => `must be less than ${most}`],
  [/^must NOT have additional properties$/, () => 'is not a field of this body'],
];

function counted(count: string, noun: string): string {
  return `${count} ${noun}${count === '1' ? '' : 's'}`;
}

/** `a, b or c` */
function either(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
