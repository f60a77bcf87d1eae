/** What can be named in `model`. */
import type { Request } from 'express';
import { GatewayError, type components, type JsonObject } from '@model-gateway/contracts';
import {
  findModel,
  isReachedBy,
  kindOf,
  pathsOf,
  rowNamed,
  type Catalogue,
  type KeyRecord,
  type ApiKeyAuthenticator,
  type ModelRow,
} from '@model-gateway/core';
import type { Handlers } from '../../http/operation.ts';
import { textIn, type AdminOperations, type AdminParts } from '../admin-operation.ts';

export interface ModelRouteParts {
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
}

/** Handlers of the model lists. */
export function modelRoutes({ catalogue, authenticator }: ModelRouteParts): Handlers {
  const rows = (key: KeyRecord): ModelRow[] =>
    [...catalogue().models.values()].filter(({ code }) => authenticator.mayUse(key, code));
  const one = (key: KeyRecord, code: string): ModelRow => {
    if (rowNamed(catalogue(), code) === undefined || !authenticator.mayUse(key, code))
      throw new GatewayError('not_found', `there is no model '${code.slice(0, 120)}' for this key`, { param: 'model' });
    return findModel(catalogue(), code);
  };
  return {
    listModels(request, response) {
      const { key, mode } = response.locals.exchange.caller;
      const served = rows(key);
      const form = formOf(request);
      if (form === 'gemini') response.json(googleList(served, request));
      else if (form === 'anthropic') response.json(anthropicList(served, request));
      else
        response.json({
          object: 'list',
          data: served.map((row) => catalogueModel(row, mode === 'test' || catalogue().twinOnly, withAliases(request))),
          ...(catalogue().twinOnly && { notice: TWIN_NOTICE }),
        });
    },
    getModel(request, response) {
      const { key, mode } = response.locals.exchange.caller;
      const row = one(key, String(request.params['model']));
      const form = formOf(request);
      if (form === 'gemini') response.json(googleModel(row));
      else if (form === 'anthropic') response.json(anthropicModel(row));
      else response.json(catalogueModel(row, mode === 'test' || catalogue().twinOnly, withAliases(request)));
    },
    listGeminiModels(request, response) {
      response.json(googleList(rows(response.locals.exchange.caller.key), request));
    },
    getGeminiModel(request, response) {
      response.json(googleModel(one(response.locals.exchange.caller.key, String(request.params['model']))));
    },
  } as Handlers;
}

/** The whole catalogue, for operators. */
export function modelOperations({ catalogue, now }: Pick<AdminParts, 'catalogue' | 'now'>): AdminOperations {
  return {
    listModelChanges: async (asked) => {
      const { modelChanges } = await import('./changes.ts');
      return modelChanges({ catalogue, now }, { account: textIn(asked, 'account'), vendor: textIn(asked, 'vendor') });
    },
    listAllModels: (asked) => {
      const { models, twinOnly } = catalogue();
      const aliases = textIn(asked, 'aliases') === 'true';
      return {
        object: 'list',
        data: [...models.values()].map((row) => catalogueModel(row, twinOnly, aliases)) as CatalogueModel[],
        ...(twinOnly && { notice: TWIN_NOTICE }),
      };
    },
  };
}

type CatalogueModel = components['schemas']['CatalogueModel'];

const TWIN_NOTICE = 'No vendor account has credentials: every model is answered by the built-in vendor twin.';

export type Form = 'openai' | 'anthropic' | 'gemini';

/**
 * What is asked for by name; else by whose SDK asks. Anthropic's says so by a header of its own, Google's by the header of its key, unless a
 * more usual one came with it: generated clients send every credential that the document knows.
 */
export function formOf({ query, headers }: Request): Form {
  const { format } = query;
  if (format === 'openai' || format === 'anthropic' || format === 'gemini') return format;
  if (headers['anthropic-version'] !== undefined) return 'anthropic';
  const onlyGoogles = headers.authorization === undefined && headers['x-api-key'] === undefined;
  return onlyGoogles && headers['x-goog-api-key'] !== undefined ? 'gemini' : 'openai';
}

/** Where the row of a code stands. Throws when a page is asked for that starts nowhere. */
function placeOf(rows: readonly ModelRow[], code: string, param: string): number {
  const place = rows.findIndex((row) => row.code === code);
  if (place >= 0) return place;
  throw new GatewayError('invalid_request', `${param}: there is no model '${code.slice(0, 120)}' to start from`, {
    param,
  });
}

/** A query parameter that is there and not empty. */
function asked(request: Request, name: string): string | undefined {
  // The validator has made numbers of what the document calls integers.
  const value = request.query[name] as string | number | undefined;
  return value === undefined || value === '' ? undefined : String(value);
}

/** https://docs.claude.com/en/api/models-list: pages from either side. */
function anthropicList(rows: readonly ModelRow[], request: Request): JsonObject {
  const limit = Number(asked(request, 'limit') ?? rows.length);
  const after = asked(request, 'after_id');
  const before = asked(request, 'before_id');
  const from = after === undefined ? 0 : placeOf(rows, after, 'after_id') + 1;
  const until = before === undefined ? rows.length : placeOf(rows, before, 'before_id');
  const found = rows.slice(from, until);
  const page = before !== undefined && after === undefined ? found.slice(-limit) : found.slice(0, limit);
  return {
    data: page.map(anthropicModel),
    has_more: page.length < found.length,
    first_id: page[0]?.code ?? null,
    last_id: page.at(-1)?.code ?? null,
  };
}

/** https://ai.google.dev/api/models#method:-models.list: what generateContent reaches; a page's token is its last code. */
function googleList(rows: readonly ModelRow[], request: Request): JsonObject {
  const reached = rows.filter(isGenerative);
  const token = asked(request, 'pageToken');
  const found = token === undefined ? reached : reached.slice(placeOf(reached, token, 'pageToken') + 1);
  const page = found.slice(0, Number(asked(request, 'pageSize') ?? found.length));
  const last = page.at(-1)?.code;
  return {
    models: page.map(googleModel),
    ...(page.length < found.length && last !== undefined && { nextPageToken: last }),
  };
}

/** A row in OpenAI's form, with the gateway's own fields. `simulated`: the vendor twin answers. */
export function catalogueModel(row: ModelRow, simulated: boolean, aliases: boolean): JsonObject {
  const kind = kindOf(row);
  return {
    id: row.code,
    object: 'model',
    created: row.created,
    owned_by: row.offers[0]?.account.vendor ?? 'gateway',
    kind: row.kind,
    description: row.description,
    formats: [...kind.describe(row).formats],
    ...(kind.parameters !== undefined && { supported_parameters: [...kind.parameters(row)] }),
    limits: row.limits,
    price: { ...row.price },
    ...(row.voices.length > 0 && { voices: [...row.voices] }),
    ...(aliases && { aliases: [...(row.aliases ?? [])] }),
    endpoints: pathsOf(row),
    simulated,
  };
}

function withAliases(request: Request): boolean {
  return asked(request, 'aliases') === 'true';
}

function anthropicModel(row: ModelRow): JsonObject {
  return {
    type: 'model',
    id: row.code,
    display_name: row.code,
    created_at: new Date(row.created * 1000).toISOString(),
    kind: row.kind,
    // What the catalogue lists can be asked; strict clients want every member, null for what it does not say.
    lifecycle: 'active',
    deprecated_at: timeOrNull(row.deprecatedAt),
    retires_at: timeOrNull(row.retiresAt),
    capabilities: null,
    line: null,
    max_input_tokens: row.limits.max_input_tokens ?? null,
    max_tokens: row.limits.max_output_tokens ?? null,
  };
}

function timeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

function googleModel(row: ModelRow): JsonObject {
  return {
    name: `models/${row.code}`,
    displayName: row.code,
    description: row.description,
    version: row.code,
    kind: row.kind,
    ...limitNames(row, 'inputTokenLimit', 'outputTokenLimit'),
    supportedGenerationMethods: isGenerative(row) ? ['generateContent', 'streamGenerateContent', 'countTokens'] : [],
  };
}

/** Whether Google's SDK reaches it. */
function isGenerative(row: ModelRow): boolean {
  return isReachedBy(row, 'generateContent');
}

function limitNames(row: ModelRow, input: string, output: string): JsonObject {
  const { max_input_tokens: most, max_output_tokens: longest } = row.limits;
  return { ...(most !== undefined && { [input]: most }), ...(longest !== undefined && { [output]: longest }) };
}
