import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { vectorOfText } from '../texts/vectors.ts';
import { badContent, refuseUnknownModel } from './errors.ts';
import { readProto, type MessageShape } from './proto.ts';

const verb = (name: string): RegExp => new RegExp(`^/v1(?:beta)?/models/(?<model>[^/:]+):${name}$`);
const MOST_REQUESTS = 100;
const DIMENSIONS = 3072;

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: verb('embedContent'),
    operation: 'embedding',
    handle: async (exchange) => {
      const [values] = await embed(exchange, [readProto(parse(exchange), REQUEST, '')]);
      exchange.reply(200, { embedding: { values } });
    },
  },
  {
    method: 'POST',
    path: verb('batchEmbedContents'),
    operation: 'embedding',
    handle: async (exchange) => {
      const { requests } = readProto(parse(exchange), BATCH, '') as { requests?: Json[] };
      if (requests === undefined || requests.length === 0)
        throw badContent('* BatchEmbedContentsRequest.requests: At least one request is required');
      if (requests.length > MOST_REQUESTS)
        throw badContent(`* BatchEmbedContentsRequest.requests: at most ${MOST_REQUESTS} requests can be in one batch`);
      const all = await embed(exchange, requests);
      exchange.reply(200, { embeddings: all.map((values) => ({ values })) });
    },
  },
];

const REQUEST: MessageShape = {
  fields: {
    model: 'string',
    content: { fields: { role: 'string', parts: [{ fields: { text: 'string' } }] } },
    taskType: 'string',
    title: 'string',
    outputDimensionality: 'integer',
  },
};
const BATCH: MessageShape = { fields: { requests: [REQUEST] } };

function parse(exchange: Exchange): Json {
  try {
    return JSON.parse(exchange.body.toString('utf8')) as Json;
  } catch {
    throw badContent('Invalid JSON payload received. Unexpected token.');
  }
}

/** Like gemini-embedding-001 it reports no usage. */
async function embed(exchange: Exchange, requests: readonly Json[]): Promise<number[][]> {
  const model = exchange.params['model'] ?? '';
  refuseUnknownModel(model);
  const texts = requests.map((request) => textOf(request, model));
  await exchange.obey(texts.join('\n'));
  const inputTokens = texts.reduce((sum, text) => sum + tokensOf(withoutMarkers(text)), 0);
  exchange.record({ kind: 'embedding', model, stream: false, aborted: false, billed: { inputTokens } });
  return texts.map((text, index) => {
    const dimensions = (requests[index] as JsonObject)['outputDimensionality'];
    return vectorOfText(withoutMarkers(text), typeof dimensions === 'number' ? dimensions : DIMENSIONS);
  });
}

function textOf(request: Json, path: string): string {
  const { model, content, outputDimensionality: dimensions } = isJsonObject(request) ? request : {};
  if (model !== undefined && model !== `models/${path}`)
    throw badContent(`* EmbedContentRequest.model: model must match model in the path, models/${path}`);
  if (typeof dimensions === 'number' && (dimensions < 1 || dimensions > DIMENSIONS))
    throw badContent(`* EmbedContentRequest.output_dimensionality: must be between 1 and ${DIMENSIONS}`);
  const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
  const text = parts
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('\n');
  if (text === '') throw badContent('* EmbedContentRequest.content: contents is not specified');
  return text;
}
