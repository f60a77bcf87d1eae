import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import { seedOf } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { embeddingsAt } from '../openai/embeddings.ts';
import { vectorOfText } from '../texts/vectors.ts';
import { complainAsDashScope, refuseAsCompatible, refuseUnknownDashScopeModel } from './errors.ts';

const MOST_TEXTS = 10;

/** In compatible mode, whose refusals are OpenAI's, and on the native path. */
export const routes: readonly Route[] = [
  {
    ...embeddingsAt('/compatible-mode/v1/embeddings', {
      mostInputs: MOST_TEXTS,
      mostTokens: 8192,
      fields: ['dimensions', 'encoding_format'],
      dimensions: () => 1024,
      takesTokens: false,
      base64: false,
    }),
    refuse: refuseAsCompatible,
  },
  {
    method: 'POST',
    path: '/api/v1/services/embeddings/text-embedding/text-embedding',
    operation: 'embedding',
    handle: native,
  },
];

const LENGTHS = [2048, 1536, 1024, 768, 512, 256, 128, 64] as const;

async function native(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsDashScope);
  body.only(new Set(['model', 'input', 'parameters']));
  const model = body.string('model');
  refuseUnknownDashScopeModel(model);
  const input = body.object('input');
  input.only(new Set(['texts']));
  const texts = input.strings('texts');
  if (texts.length === 0 || texts.length > MOST_TEXTS) input.fail('texts', `1 to ${MOST_TEXTS} texts`);
  const parameters = body.optionalObject('parameters');
  parameters?.only(new Set(['text_type', 'dimension', 'output_type', 'instruct']));
  parameters?.optionalOneOf('text_type', ['query', 'document'] as const);
  const dimension = parameters?.optionalOneOf('dimension', LENGTHS) ?? 1024;
  const output = parameters?.optionalOneOf('output_type', ['dense', 'sparse', 'dense&sparse'] as const) ?? 'dense';
  await exchange.obey(texts.join('\n'));
  const inputTokens = texts.reduce((sum, text) => sum + tokensOf(withoutMarkers(text)), 0);
  exchange.record({ kind: 'embedding', model, stream: false, aborted: false, billed: { inputTokens } });
  const embeddings = texts.map((text, text_index) => ({
    ...(output !== 'sparse' && { embedding: vectorOfText(withoutMarkers(text), dimension) }),
    ...(output !== 'dense' && { sparse_embedding: sparseOf(withoutMarkers(text)) }),
    text_index,
  }));
  exchange.reply(200, {
    output: { embeddings },
    usage: { total_tokens: inputTokens },
    request_id: exchange.stage.newId(''),
  });
}

/** Its words with their weights. */
function sparseOf(text: string): readonly object[] {
  const words = [...new Set(text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [])];
  return words.map((token) => ({ index: seedOf(token) % 150_000, value: 0.5, token }));
}
