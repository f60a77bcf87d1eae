/** Contents that Gemini models keep by name for requests to begin with, in Google's form. */
import type { Request, Response } from 'express';
import { GatewayError, OPERATIONS, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  findModel,
  newTrace,
  type ApiKeyAuthenticator,
  type CachedContentRecord,
  type CachedContents,
  type Catalogue,
  type InlinedFiles,
  type Keeping,
} from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { sendJson, writeTrace } from '../../http/reply.ts';
import { refuseControl } from '../../http/request-control.ts';
import { admitModel } from '../../http/steps/limits.ts';
import { isoTime } from '../batches/lines.ts';

const ENDPOINT = OPERATIONS.createCachedContent.path;
const { dialect: DIALECT } = OPERATIONS.generateContent;
const USUAL_PAGE = 50;
const DURATION = /^(\d{1,9}(?:\.\d{1,9})?)s$/;

export interface CachedContentRouteParts {
  readonly contents: CachedContents;
  readonly inlined: InlinedFiles;
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
  readonly now: () => number;
}

/** Handlers of the operations on cached contents. */
export function cachedContentRoutes(parts: CachedContentRouteParts): Handlers {
  const { contents, authenticator, now } = parts;
  const create: Handler = (request, response) => createContent(parts, request, response);
  const list: Handler = async (request, response) => {
    const { pageSize, pageToken } = request.query;
    const limit = pageSize === undefined ? USUAL_PAGE : Number(pageSize);
    const after = typeof pageToken === 'string' && pageToken !== '' ? { after: pageToken } : {};
    const found = await contents.list(response.locals.exchange.caller, { limit: limit + 1, ...after });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    response.json({
      cachedContents: page.map(viewOf),
      ...(found.length > limit && last !== undefined && { nextPageToken: last.name }),
    });
  };
  const get: Handler = async (request, response) => {
    response.json(viewOf(await contents.get(response.locals.exchange.caller, nameIn(request))));
  };
  const update: Handler = async (request, response) => {
    refuseControl(request);
    const body = jsonBody(request);
    const keeping = keepingIn(body, now());
    if (keeping === undefined)
      throw new GatewayError('invalid_request', 'ttl or expireTime is missing; only these can be changed', {
        param: 'ttl',
      });
    const { exchange } = response.locals;
    const call = { caller: exchange.caller, endpoint: ENDPOINT };
    const record = await contents.get(exchange.caller, nameIn(request));
    admitModel(authenticator, response, record.model, 'chat');
    const trace = (exchange.trace = newTrace());
    try {
      const changed = await contents.update(call, { record, body, keeping }, trace);
      writeTrace(response, trace);
      await sendJson(response, viewOf(changed));
    } catch (error) {
      if (!response.headersSent) writeTrace(response, trace);
      throw error;
    }
  };
  const remove: Handler = async (request, response) => {
    await contents.remove(response.locals.exchange.caller, nameIn(request));
    response.json({});
  };
  return {
    ...{ createCachedContent: create, listCachedContents: list, getCachedContent: get },
    ...{ updateCachedContent: update, deleteCachedContent: remove },
    ...{ createCachedContentV1: create, listCachedContentsV1: list, getCachedContentV1: get },
    ...{ updateCachedContentV1: update, deleteCachedContentV1: remove },
  };
}

async function createContent(
  { contents, inlined, catalogue, authenticator, now }: CachedContentRouteParts,
  request: Request,
  response: Response,
): Promise<void> {
  refuseControl(request);
  const { model: named, ...body } = jsonBody(request);
  const model = typeof named === 'string' ? named.replace(/^models\//, '') : named;
  admitModel(authenticator, response, model, 'chat');
  const { exchange } = response.locals;
  const { caller } = exchange;
  const row = findModel(catalogue(), model, ['chat']);
  const keeping = keepingIn(body, now());
  const trace = (exchange.trace = newTrace());
  const keep = inlined.count(({ body: { json } }) =>
    contents.create({ caller, endpoint: ENDPOINT }, { row, body: json, keeping }, trace),
  );
  const bytes = Buffer.from(JSON.stringify(body));
  try {
    const kept = await keep({ caller, dialect: DIALECT, body: { json: body, bytes }, model, headers: {} });
    writeTrace(response, trace);
    await sendJson(response, viewOf(kept));
  } catch (error) {
    if (!response.headersSent) writeTrace(response, trace);
    throw error;
  }
}

function nameIn(request: Request): string {
  return `cachedContents/${String(request.params['cached_content_id']).replace(/^cachedContents\//, '')}`;
}

/** For how long it is to be kept, or until when; undefined where nothing is said. */
function keepingIn(body: JsonObject, now: number): Keeping | undefined {
  const { ttl } = body;
  const until: Json | undefined = body['expireTime'] ?? body['expire_time'];
  if (ttl !== undefined && ttl !== null) {
    const seconds = typeof ttl === 'string' ? DURATION.exec(ttl)?.[1] : undefined;
    if (seconds === undefined || Number(seconds) <= 0) throw wrong('ttl', 'must be seconds such as 3600s');
    return { forMs: Number(seconds) * 1000 };
  }
  if (until === undefined || until === null) return undefined;
  const time = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  if (!Number.isFinite(time) || time <= now)
    throw wrong('expireTime', 'must be a time to come, such as 2030-01-01T00:00:00Z');
  return { until: time };
}

function wrong(param: string, complaint: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${complaint}`, { param });
}

/** As its vendor tells it, by the names of the gateway. */
function viewOf({ name, about, model, expiresAt }: CachedContentRecord): JsonObject {
  return { ...about, name, model: `models/${model}`, expireTime: isoTime(expiresAt) };
}
