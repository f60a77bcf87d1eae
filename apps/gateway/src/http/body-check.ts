/** Checks a body against the document for a path it was not sent to. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { openApiDocument } from './document.ts';
import { faultToTell, wordsOf } from './pipeline/validator-words.ts';
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
