/** What can be named in `model`. */
import type { Request } from 'express';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { findModel, type Catalogue, type KeyRecord, type KeyRing, type ModelRow } from '@model-gateway/core';
import { callerOf } from '../http/context.ts';
import type { Handlers } from '../http/operation.ts';

export interface ModelRouteParts {
  readonly catalogue: () => Catalogue;
  readonly ring: KeyRing;
}

/** Handlers of the model lists. */
export function modelRoutes({ catalogue, ring }: ModelRouteParts): Handlers {
  const rows = (key: KeyRecord): ModelRow[] =>
    [...catalogue().models.values()].filter(({ code }) => ring.mayUse(key, code));
  const one = (key: KeyRecord, code: string): ModelRow => {
    if (!catalogue().models.has(code) || !ring.mayUse(key, code))
      throw new GatewayError('not_found', `there is no model '${code.slice(0, 120)}' for this key`, { param: 'model' });
    return findModel(catalogue(), code);
  };
  return {
    listModels(request, response) {
      const { key, mode } = callerOf(response);
      const served = rows(key);
      response.json(
        wantsAnthropic(request)
          ? {
              data: served.map(anthropicModel),
              has_more: false,
              first_id: served[0]?.code ?? null,
              last_id: served.at(-1)?.code ?? null,
            }
          : {
              object: 'list',
              data: served.map((row) => openAiModel(row, mode === 'test' || catalogue().twinOnly)),
              ...(catalogue().twinOnly && { notice: TWIN_NOTICE }),
            },
      );
    },
    getModel(request, response) {
      const { key, mode } = callerOf(response);
      const row = one(key, String(request.params['model']));
      response.json(
        wantsAnthropic(request) ? anthropicModel(row) : openAiModel(row, mode === 'test' || catalogue().twinOnly),
      );
    },
    listGeminiModels(_request, response) {
      response.json({ models: rows(callerOf(response).key).map(geminiModel) });
    },
    getGeminiModel(request, response) {
      response.json(geminiModel(one(callerOf(response).key, String(request.params['model']))));
    },
  } as Handlers;
}

const TWIN_NOTICE = 'No vendor account has credentials: every model is answered by the built-in vendor twin.';

/** The paths a model can be reached through. */
function endpointsOf(row: ModelRow): string[] {
  switch (row.kind) {
    case 'chat':
      return ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1beta/models/{model}:generateContent'];
    case 'video':
      return row.videoShape === 'seconds'
        ? ['/v1/videos', '/v1/video/generations']
        : ['/v1/video/generations', '/v1/videos'];
    case 'image':
      return ['/v1/images/generations', '/v1/images/edits'];
    case 'image-edit':
      return ['/v1/images/edits', '/v1/images/generations'];
    case 'speech':
      return ['/v1/chat/completions', '/v1/audio/speech'];
  }
}

function wantsAnthropic(request: Request): boolean {
  return request.headers['anthropic-version'] !== undefined;
}

/** The ways a model can be asked. */
function formatsOf(row: ModelRow): string[] {
  switch (row.kind) {
    case 'chat':
      return ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'];
    case 'video':
      return [row.videoShape ?? 'prompt'];
    case 'image':
      return [row.imageShape ?? 'prompt'];
    case 'image-edit':
      return ['multipart'];
    case 'speech':
      return ['openai-chat', 'speech'];
  }
}

function openAiModel(row: ModelRow, simulated: boolean): JsonObject {
  return {
    id: row.code,
    object: 'model',
    created: row.created,
    owned_by: row.offers[0]?.account.vendor ?? 'gateway',
    kind: row.kind,
    description: row.description,
    formats: formatsOf(row),
    limits: row.limits,
    price: { ...row.price },
    ...(row.voices.length > 0 && { voices: [...row.voices] }),
    endpoints: endpointsOf(row),
    simulated,
  };
}

function anthropicModel(row: ModelRow): JsonObject {
  return {
    type: 'model',
    id: row.code,
    display_name: row.code,
    created_at: new Date(row.created * 1000).toISOString(),
    kind: row.kind,
    ...limitNames(row, 'max_input_tokens', 'max_tokens'),
  };
}

function geminiModel(row: ModelRow): JsonObject {
  return {
    name: `models/${row.code}`,
    displayName: row.code,
    description: row.description,
    version: '1',
    ...limitNames(row, 'inputTokenLimit', 'outputTokenLimit'),
    supportedGenerationMethods: row.kind === 'chat' ? ['generateContent', 'streamGenerateContent', 'countTokens'] : [],
  };
}

function limitNames(row: ModelRow, input: string, output: string): JsonObject {
  const { max_input_tokens: most, max_output_tokens: longest } = row.limits;
  return { ...(most !== undefined && { [input]: most }), ...(longest !== undefined && { [output]: longest }) };
}
