/** Requests are checked against the document by express-openapi-validator. */
import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { openApiDocument } from '../document.ts';
import { isForm } from '../form.ts';
import type { Operation } from '../route-table.ts';
import { inOrder } from '../operation.ts';
import { SLICED_FROM } from './read-body.ts';

/** `=2026-01-01T02:00:00+02:00`: legal in a query, where forms read a blank out of the `+`. */
const BARE_ZONE = /(=\d{4}-\d\d-\d\dT[\d:.%A]+)\+(?=\d\d)/gi;

/** What one operation is validated by. */
interface Validators {
  /** Those that cost work for every request, and that hardly any request carries. */
  readonly optionalHeaders: readonly string[];
  /** Made when first needed. */
  withHeaders?: RequestHandler;
  withoutHeaders?: RequestHandler;
}

/**
 * Makes the step that validates. Every operation has validators of its own, over the document cut down to it, made at its first request:
 * the validator tries the paths of its document one by one, for every request (docs/decisions/0011-validation-by-public-means.md). Forms are left to their routes.
 * After a large body others have a turn before the work goes on: a body of very many values takes tens of milliseconds here, and again there.
 */
export function validate(operation: Operation): RequestHandler {
  return (request: Request, response: Response, next): void => {
    if (operation.rawBody === true || (operation.form === true && isForm(request))) {
      next();
      return;
    }
    if (request.url.includes('+')) request.url = request.url.replace(BARE_ZONE, '$1%2B');
    const validators = validatorsOf(operation);
    const isLarge = (response.locals.exchange.rawBody?.length ?? 0) >= SLICED_FROM;
    validatorFor(request, validators, operation)(
      request,
      response,
      isLarge ? (fault?: unknown) => setImmediate(() => next(fault)) : next,
    );
  };
}

/** The document is one, for all servers of a process. */
const known = new WeakMap<Operation, Validators>();

function validatorsOf(operation: Operation): Validators {
  let validators = known.get(operation);
  if (validators === undefined) {
    validators = { optionalHeaders: optionalHeaders(openApiDocument(), addressOf(operation)) };
    known.set(operation, validators);
  }
  return validators;
}

function validatorFor({ headers }: Request, validators: Validators, operation: Operation): RequestHandler {
  for (const name of validators.optionalHeaders) {
    if (headers[name] !== undefined) return (validators.withHeaders ??= validatorOf(operation, false));
  }
  return (validators.withoutHeaders ??= validatorOf(operation, true));
}

function validatorOf(operation: Operation, withoutOptionalHeaders: boolean): RequestHandler {
  const isFixed = operation.parameters.length === 0;
  const cut = { ...addressOf(operation), withoutOptionalHeaders, ...(isFixed && { mount: '/' }) };
  const steps = OpenApiValidator.middleware({
    apiSpec: documentOf(openApiDocument(), cut) as never,
    validateApiSpec: false,
    validateRequests: { allowUnknownQueryParameters: true },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
    // It has no slash at its end: those were led elsewhere before.
    useRequestUrl: true,
    validateFormats: true,
    ajvFormats: { mode: 'fast' },
  });
  return isFixed ? mounted(withKnownOperation(steps)) : inOrder(steps);
}

type Step = ReturnType<typeof OpenApiValidator.middleware>[number];
type Checked = Parameters<Step>[0];

/**
 * The validator's steps for an address without parameters. The first of them find the operation of a request, which is the same one for all:
 * what they found for the first request (`request.openapi`, of the validator's public types) is given to the others, which go on with the steps behind.
 */
function withKnownOperation(steps: readonly Step[]): RequestHandler {
  let known: { readonly openapi: NonNullable<Checked['openapi']>; readonly rest: RequestHandler } | undefined;
  const all = inOrder(
    steps.map((step, at) => (request: Checked, response, next): unknown => {
      if (request.openapi !== undefined) known ??= { openapi: request.openapi, rest: inOrder(steps.slice(at)) };
      return step(request, response, next);
    }),
  );
  return (request: Checked, response, next): void => {
    if (known === undefined) {
      all(request, response, next);
      return;
    }
    request.openapi = { ...known.openapi };
    known.rest(request, response, next);
  };
}

/** Shows the validator the address as Express would show it a mounted one: it makes a pattern of its path anew for every request. */
function mounted(validator: RequestHandler): RequestHandler {
  return (request, response, next): void => {
    const { url } = request;
    const query = url.indexOf('?');
    request.url = query === -1 ? '/' : `/${url.slice(query)}`;
    validator(request, response, (fault?: unknown) => {
      request.url = url;
      next(fault);
    });
  };
}

function addressOf({ path, method }: Operation): { readonly path: string; readonly method: string } {
  return { path, method: method.toLowerCase() };
}

/** What a request is not checked by. */
const UNREAD = new Set(['responses', 'example', 'examples', 'description', 'summary', 'callbacks']);
/** Their members are named by the caller's fields: a field may well be called `description`. */
const NAMED_BY_FIELDS = new Set(['properties', 'patternProperties', '$defs']);

export interface Cut {
  readonly path: string;
  /** In small letters. */
  readonly method: string;
  /** What the path is called in the cut document: its own name unless told otherwise. */
  readonly mount?: string;
  /** For requests that carry none of the headers which they need not carry. */
  readonly withoutOptionalHeaders?: boolean;
}

/** A self-contained OpenAPI document with this one operation, its parameters and its body; the given one stays as it is. */
export function documentOf(
  document: JsonObject,
  { path, method, mount = path, withoutOptionalHeaders = false }: Cut,
): JsonObject {
  const components: Record<string, JsonObject> = {};
  const copy = (value: Json | undefined, keepAll = false): Json => {
    if (Array.isArray(value)) return value.map((each) => copy(each));
    if (!isJsonObject(value)) return value ?? null;
    const { $ref } = value;
    if (typeof $ref === 'string') bring($ref);
    const copied = Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => keepAll || !UNREAD.has(name))
        .map(([name, member]) => [name, copy(member, NAMED_BY_FIELDS.has(name) && !keepAll)]),
    );
    // `2026-01-01T00:00:00Z` needs no escapes in a query (RFC 3986, 3.4): only `&`, `#` and, by what forms made of it, `+` mean something there.
    return !keepAll && value['in'] === 'query' ? { ...copied, allowReserved: true } : copied;
  };
  const bring = ($ref: string): void => {
    const [, , kind = '', name = ''] = $ref.split('/');
    const among = (components[kind] ??= {});
    if (name in among) return;
    // There before it is whole: schemas refer to themselves.
    among[name] = {};
    among[name] = copy(objectIn(document, 'components', kind)[name]);
  };
  const item = objectIn(document, 'paths', path);
  const whole = objectIn(item, method);
  const checked = { ...whole, parameters: parametersOfCut(document, whole, withoutOptionalHeaders) };
  const operation = {
    ...(item['parameters'] !== undefined && { parameters: copy(parametersOfCut(document, item)) }),
    [method]: { ...objectIn({ copied: copy(checked) }, 'copied'), responses: { default: { description: '' } } },
  };
  return {
    openapi: document['openapi'] ?? '',
    info: { title: path, version: '' },
    paths: { [mount]: operation },
    components,
  };
}

/** The headers that a request to this operation may carry and need not, in small letters. */
export function optionalHeaders(document: JsonObject, { path, method }: Pick<Cut, 'path' | 'method'>): string[] {
  return parametersOf(objectIn(document, 'paths', path, method))
    .map((parameter) => resolve(document, parameter))
    .filter(isOptionalHeader)
    .flatMap(({ name }) => (typeof name === 'string' ? [name.toLowerCase()] : []));
}

/** Written out: the validator looks up a reference to a parameter in every request. */
function parametersOfCut(document: JsonObject, operation: JsonObject, withoutOptionalHeaders = false): Json[] {
  return parametersOf(operation)
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => !withoutOptionalHeaders || !isOptionalHeader(parameter));
}

function parametersOf({ parameters }: JsonObject): Json[] {
  return Array.isArray(parameters) ? parameters : [];
}

function isOptionalHeader(parameter: JsonObject): boolean {
  return parameter['in'] === 'header' && parameter['required'] !== true;
}

function resolve(document: JsonObject, parameter: Json): JsonObject {
  if (!isJsonObject(parameter)) return {};
  const { $ref } = parameter;
  return typeof $ref === 'string' ? objectIn(document, ...$ref.split('/').slice(1)) : parameter;
}

function objectIn(from: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce((found, name) => {
    const next = found[name];
    if (!isJsonObject(next)) throw new Error(`the document has no ${names.join(' / ')}`);
    return next;
  }, from);
}
