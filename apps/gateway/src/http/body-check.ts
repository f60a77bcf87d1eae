/** Checks a body against the document for a path it was not sent to. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { openApiDocument } from './validation.ts';

const GEMINI = /^\/(v1beta|v1)\/models\/[^/:]+:(\w+)$/;

let ajv: Ajv2020 | undefined;
const checks = new Map<string, ValidateFunction | undefined>();

/** Throws `invalid_request` naming the field, as the endpoint itself would. A path the document does not have is not checked. */
export function checkBody(path: string, body: JsonObject): void {
  const check = checkOf(path.replace(GEMINI, '/$1/models/{model}:$2'));
  if (check === undefined || check(body)) return;
  const first = check.errors?.[0];
  const place = placeOf(first?.instancePath ?? '');
  throw new GatewayError(
    'invalid_request',
    `${place === '' ? 'the body' : place} ${first?.message ?? 'does not match the document'}`,
    place === '' ? {} : { param: place },
  );
}

function checkOf(path: string): ValidateFunction | undefined {
  if (checks.has(path)) return checks.get(path);
  const operation = openApiDocument().paths[path]?.['post'];
  const pointer = `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema`;
  const check = hasJsonBody(operation) ? compiler().compile({ $ref: `document#${encodeURI(pointer)}` }) : undefined;
  // Only what the document has is remembered: a path is the caller's own text.
  if (check !== undefined) checks.set(path, check);
  return check;
}

function hasJsonBody(operation: unknown): boolean {
  const body = isJsonObject(operation) ? operation['requestBody'] : undefined;
  const content = isJsonObject(body) ? body['content'] : undefined;
  return isJsonObject(content) && content['application/json'] !== undefined;
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
