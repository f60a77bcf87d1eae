import { isJsonObject } from '@model-gateway/contracts';
import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { badContent, refuseAsGoogle } from '../gemini/errors.ts';
import { vectorOfText } from '../texts/vectors.ts';
import { refuseUnknownPublisherModel } from './chat.ts';
import { methodOf } from './paths.ts';

const DIMENSIONS = 3072;
const OLDER_DIMENSIONS = 768;
const MOST_INSTANCES = 250;

/** `:predict` of Google's text models. */
export const routes: readonly Route[] = [
  { method: 'POST', path: methodOf('google', 'predict', '(?!lyria-)[^/:]+'), operation: 'embedding', handle: predict },
];

async function predict(exchange: Exchange): Promise<void> {
  const { model = '' } = exchange.params;
  refuseUnknownPublisherModel(exchange, 'google');
  const { instances, parameters } = exchange.json(() => refuseAsGoogle(400)).value;
  const texts = (Array.isArray(instances) ? instances : []).map((each) =>
    isJsonObject(each) && typeof each['content'] === 'string' ? each['content'] : '',
  );
  const isNewer = model.startsWith('gemini-');
  if (texts.length === 0 || texts.includes('')) throw badContent('The text content is empty.');
  if (texts.length > (isNewer ? 1 : MOST_INSTANCES))
    throw badContent(`${texts.length} instance(s) is allowed per prediction. Actual: ${texts.length}.`);
  const wanted = isJsonObject(parameters) ? parameters['outputDimensionality'] : undefined;
  const most = isNewer ? DIMENSIONS : OLDER_DIMENSIONS;
  if (wanted !== undefined && (typeof wanted !== 'number' || wanted < 1 || wanted > most))
    throw badContent(`outputDimensionality must be between 1 and ${most}.`);
  await exchange.obey(texts.join('\n'));
  const counts = texts.map((text) => tokensOf(withoutMarkers(text)));
  const inputTokens = counts.reduce((sum, each) => sum + each, 0);
  exchange.record({ kind: 'embedding', model, stream: false, aborted: false, billed: { inputTokens } });
  exchange.reply(200, {
    predictions: texts.map((text, index) => ({
      embeddings: {
        values: vectorOfText(withoutMarkers(text), typeof wanted === 'number' ? wanted : most),
        statistics: { token_count: counts[index], truncated: false },
      },
    })),
  });
}
