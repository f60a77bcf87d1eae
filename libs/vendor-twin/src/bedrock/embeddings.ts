import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { quantized, vectorOfText } from '../texts/vectors.ts';
import { complainAsAws, refuseAsAws, refuseUnknownModel } from './errors.ts';

const MOST_TEXTS = 96;

/** Titan's and Cohere's text vectors. */
export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/model\/(?<model>amazon\.titan-embed-[^/]+)\/invoke$/,
    operation: 'embedding',
    handle: titan,
  },
  {
    method: 'POST',
    path: /^\/model\/(?<model>(?:[a-z-]+\.)?cohere\.embed-[^/]+)\/invoke$/,
    operation: 'embedding',
    handle: cohere,
  },
  {
    method: 'POST',
    path: /^\/model\/(?<model>(?:no-such|unknown|missing)-[^/]+)\/invoke$/,
    operation: 'embedding',
    handle: ({ params }) => refuseUnknownModel(params['model'] ?? ''),
  },
];

async function titan(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsAws);
  body.only(new Set(['inputText', 'dimensions', 'normalize', 'embeddingTypes']));
  const text = body.string('inputText');
  const dimensions = body.optionalOneOf('dimensions', [256, 512, 1024] as const) ?? 1024;
  const inputTextTokenCount = await read(exchange, [text]);
  const embedding = vectorOfText(withoutMarkers(text), dimensions);
  exchange.reply(200, { embedding, inputTextTokenCount }, counted(inputTextTokenCount));
}

async function cohere(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsAws);
  body.only(new Set(['texts', 'input_type', 'truncate', 'embedding_types', 'output_dimension']));
  body.oneOf('input_type', ['search_document', 'search_query', 'classification', 'clustering'] as const);
  const texts = body.strings('texts');
  if (texts.length === 0 || texts.length > MOST_TEXTS)
    throw refuseAsAws(400, { message: `texts: expected between 1 and ${MOST_TEXTS} items` });
  const types = body.value['embedding_types'] === undefined ? [] : body.strings('embedding_types');
  const stranger = types.find((type) => !['float', 'int8', 'uint8', 'binary', 'ubinary'].includes(type));
  if (stranger !== undefined) throw refuseAsAws(400, { message: `embedding_types: ${stranger} is not supported` });
  const isTyped = types.length > 0;
  const dimensions = body.optionalOneOf('output_dimension', [256, 512, 1024, 1536] as const) ?? 1024;
  const tokens = await read(exchange, texts);
  const vectors = texts.map((text) => vectorOfText(withoutMarkers(text), dimensions));
  const embeddings = isTyped
    ? Object.fromEntries(types.map((type) => [type, vectors.map((vector) => quantized(vector, type))]))
    : vectors;
  const answer = {
    id: exchange.stage.newId(''),
    texts,
    embeddings,
    response_type: isTyped ? 'embeddings_by_type' : 'embeddings_floats',
  };
  exchange.reply(200, answer, counted(tokens));
}

async function read(exchange: Exchange, texts: readonly string[]): Promise<number> {
  await exchange.obey(texts.join('\n'));
  const inputTokens = texts.reduce((sum, text) => sum + tokensOf(withoutMarkers(text)), 0);
  exchange.record({
    kind: 'embedding',
    model: exchange.params['model'] ?? '',
    stream: false,
    aborted: false,
    billed: { inputTokens },
  });
  return inputTokens;
}

function counted(tokens: number): Record<string, string> {
  return { 'x-amzn-bedrock-input-token-count': String(tokens) };
}
