/** Requests (and, in tests, replies) are checked against the document by express-openapi-validator. */
import { readFileSync } from 'node:fs';
import { fileURLToPath, parse as parseLegacyUrl } from 'node:url';
import type { Request, RequestHandler, Response, NextFunction } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { JsonObject } from '@model-gateway/contracts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

/** The document as the house publishes it: one self-contained OpenAPI 3.1 file. */
export function openApiDocument(): Document & JsonObject {
  return (document ??= JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve('@model-gateway/contracts/openapi.json')), 'utf8'),
  ) as Document & JsonObject);
}
let document: (Document & JsonObject) | undefined;

/** The validator looks its paths up one by one: the busy ones have a small document of their own. */
const BUSY = ['/v1/chat/completions', '/v1/messages', '/v1/responses'];

export interface ValidationOptions {
  /** On in tests: a reply that does not match the document becomes a 500. */
  readonly validateResponses: boolean;
}

/**
 * The validator calls Node's legacy `url.parse` for every request; until it has warned once, each call looks through the whole stack to see
 * whether a package called it, which costs more than the validation. One silenced call from here ends that.
 */
function quietLegacyUrlParse(): void {
  const flags = process as { noDeprecation?: boolean };
  const before = flags.noDeprecation ?? false;
  flags.noDeprecation = true;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the deprecation is the point
  parseLegacyUrl('/');
  flags.noDeprecation = before;
}

/** Makes the middlewares that validate. */
export function validateAgainstDocument({ validateResponses }: ValidationOptions): RequestHandler[] {
  const document = openApiDocument();
  quietLegacyUrlParse();
  const busy = stepsFor(
    withPaths(document, (path) => BUSY.includes(path)),
    validateResponses,
  );
  const all = stepsFor(document, validateResponses);
  return busy.map((step, index) => (request: Request, response: Response, next: NextFunction): void => {
    const chosen = BUSY.includes(request.path) ? step : all[index];
    if (isMultipart(request) || chosen === undefined) next();
    else void chosen(request, response, next);
  });
}

/** Multipart forms are read as streams by their routes, which check every field themselves. */
function isMultipart(request: Request): boolean {
  return request.headers['content-type']?.startsWith('multipart/form-data') === true;
}

function stepsFor(document: object, validateResponses: boolean): RequestHandler[] {
  return OpenApiValidator.middleware({
    apiSpec: structuredClone(document) as never,
    validateApiSpec: false,
    validateRequests: { allowUnknownQueryParameters: true },
    validateResponses,
    validateSecurity: false,
    fileUploader: false,
    // Trailing slashes are taken off `request.url` before.
    useRequestUrl: true,
    validateFormats: true,
    ajvFormats: { mode: 'fast' },
  });
}

function withPaths(document: Document, keep: (path: string) => boolean): object {
  return { ...document, paths: Object.fromEntries(Object.entries(document.paths).filter(([path]) => keep(path))) };
}
