import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { vectorOfText } from '../texts/vectors.ts';
import { complainAsOllama, refuseAsOllama } from './errors.ts';
import { modelNamed } from './models.ts';

const DIMENSIONS = 768;

export const routes: readonly Route[] = [{ method: 'POST', path: '/api/embed', operation: 'embedding', handle: embed }];

async function embed(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsOllama);
  const model = modelNamed(body.string('model'));
  const given = body.value['input'];
  const texts = typeof given === 'string' ? [given] : given;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string'))
    throw refuseAsOllama(400, { message: 'invalid input type' });
  const mayCut = body.optionalBoolean('truncate') ?? true;
  const dimensions = Math.min(body.optionalInteger('dimensions', 0) ?? DIMENSIONS, DIMENSIONS);
  const markers = await exchange.obey(texts.join('\n'));
  const tokens = texts.map((text) => tokensOf(withoutMarkers(text)));
  if (!mayCut && tokens.some((count) => count > model.context))
    throw refuseAsOllama(400, { message: 'the input length exceeds the context length' });
  const counted = tokens.reduce((sum, count) => sum + Math.min(count, model.context), 0);
  exchange.record({
    kind: 'embedding',
    model: model.name,
    stream: false,
    aborted: false,
    billed: { inputTokens: counted },
  });
  const vectors = texts.map((text) => vectorOfText(withoutMarkers(text), dimensions === 0 ? DIMENSIONS : dimensions));
  exchange.reply(200, {
    model: model.name,
    embeddings: markers.words.has('few') ? vectors.slice(1) : vectors,
    total_duration: 14_143_917,
    load_duration: 1_019_500,
    prompt_eval_count: counted,
  });
}
