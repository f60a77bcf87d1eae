/** Requests (and, in tests, replies) are checked against the document by express-openapi-validator. */
import { readFileSync } from 'node:fs';
import { fileURLToPath, parse as parseLegacyUrl } from 'node:url';
import type { Request, RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { JsonObject } from '@model-gateway/contracts';
import { isForm } from './form.ts';
import { inOrder } from './in-order.ts';

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

/** Asked thousands of times a second: what the validator finds out about these is found out once. */
const BUSY = new Set(['/v1/chat/completions', '/v1/messages', '/v1/responses']);

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

/** Makes the middleware that validates. */
export function validateAgainstDocument({ validateResponses }: ValidationOptions): RequestHandler {
  quietLegacyUrlParse();
  const { steps, checkRequest, checkResponse } = validatorSteps(openApiDocument(), validateResponses);
  const inTurn = inOrder(steps);
  /** By busy path. */
  const matches = new Map<string, Match>();
  return (request: ValidatedRequest, response, next) => {
    if (isForm(request)) return next();
    const { path } = request;
    if (request.method !== 'POST' || !BUSY.has(path)) return inTurn(request, response, next);
    const match = matches.get(path);
    if (match === undefined) {
      return inTurn(request, response, (error?: unknown) => {
        if (request.openapi !== undefined) matches.set(path, request.openapi);
        next(error);
      });
    }
    const openapi = { ...match, pathParams: {} };
    if (checkResponse !== undefined) request.openapi = openapi;
    const { originalUrl, headers } = request;
    const body: unknown = request.body;
    // The validator redefines members of what it checks: done to Express's own request, that makes every later look at it slow.
    const asked = { method: 'POST', path, originalUrl, headers, query: {}, params: {}, body, openapi };
    checkRequest(asked as unknown as Request, response, (error?: unknown) => {
      if (error === undefined && checkResponse !== undefined) checkResponse(request, response, next);
      else next(error);
    });
  };
}

/** Which operation of the document a request is for: what the validator's first steps leave for the others. */
interface Match {
  readonly pathParams: object;
}
type ValidatedRequest = Request & { openapi?: Match };

interface ValidatorSteps {
  readonly steps: readonly RequestHandler[];
  /** The step that checks a request whose match is known; it answers without a turn of the event loop. */
  readonly checkRequest: RequestHandler;
  readonly checkResponse: RequestHandler | undefined;
}

function validatorSteps(document: object, validateResponses: boolean): ValidatorSteps {
  const steps: readonly RequestHandler[] = OpenApiValidator.middleware({
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
  // Each step waits for the document to be loaded, for every request anew, and looks the path up among all others. The check proper is
  // made by this method once the document is there.
  const { _oav: maker } = OpenApiValidator.middleware as unknown as { readonly _oav: RequestCheckMaker };
  const make = maker.requestValidationMiddleware.bind(maker);
  let check: RequestHandler | undefined;
  maker.requestValidationMiddleware = (loaded) => (check = make(loaded));
  return {
    steps,
    checkRequest: (request, response, next) => {
      if (check === undefined) throw new Error('the validator has not seen a request yet');
      void check(request, response, next);
    },
    checkResponse: steps.find((step) => step.name === 'responseMiddleware'),
  };
}

interface RequestCheckMaker {
  requestValidationMiddleware(document: object): RequestHandler;
}
