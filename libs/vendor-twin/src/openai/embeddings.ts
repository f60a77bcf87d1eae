import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Complain, Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { asBase64, vectorOfText, vectorOfTokens } from '../texts/vectors.ts';
import { complainAsOpenAi, refuseUnknownModel, standardHeaders } from './errors.ts';

/** How a vendor's embeddings differ from OpenAI's. */
export interface EmbeddingRules {
  readonly complain?: Complain;
  readonly refuseUnknown?: (model: string) => void;
  /** Texts of one call. */
  readonly mostInputs: number;
  /** Tokens of one text. */
  readonly mostTokens: number;
  /** Fields beside `model` and `input`. */
  readonly fields: readonly string[];
  /** Numbers of a vector when nobody says. */
  readonly dimensions: (model: string) => number;
  readonly takesTokens: boolean;
  readonly base64: boolean;
}

const OPENAI: EmbeddingRules = {
  mostInputs: 2048,
  mostTokens: 8192,
  fields: ['dimensions', 'encoding_format', 'user'],
  dimensions: (model) => (model.includes('large') ? 3072 : 1536),
  takesTokens: true,
  base64: true,
};

export const routes: readonly Route[] = [embeddingsAt('/v1/embeddings', OPENAI)];

/** `POST /embeddings` of a vendor with these rules. */
export function embeddingsAt(path: string, rules: EmbeddingRules): Route {
  return { method: 'POST', path, operation: 'embedding', handle: async (exchange) => embed(exchange, rules) };
}

async function embed(exchange: Exchange, rules: EmbeddingRules): Promise<void> {
  const body = exchange.json(rules.complain ?? complainAsOpenAi);
  body.only(new Set(['model', 'input', ...rules.fields]));
  const model = body.string('model');
  (rules.refuseUnknown ?? refuseUnknownModel)(model);
  const inputs = inputsOf(body, rules);
  const dimensions = body.optionalInteger('dimensions', 1, 4096) ?? rules.dimensions(model);
  const encoding = body.optionalOneOf('encoding_format', rules.base64 ? ['float', 'base64'] : ['float']);
  const markers = await exchange.obey(inputs.filter((each) => typeof each === 'string').join('\n'));
  const tokens = inputs.reduce<number>((sum, each) => sum + tokensIn(each), 0);
  exchange.record({ kind: 'embedding', model, stream: false, aborted: false, billed: { inputTokens: tokens } });
  const data = inputs.map((input, index) => {
    const vector =
      typeof input === 'string' ? vectorOfText(withoutMarkers(input), dimensions) : vectorOfTokens(input, dimensions);
    return { object: 'embedding', index, embedding: encoding === 'base64' ? asBase64(vector) : vector };
  });
  exchange.reply(
    200,
    {
      object: 'list',
      data: markers.words.has('few') ? data.slice(1) : data,
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
    standardHeaders(exchange),
  );
}

type Input = string | readonly number[];

function tokensIn(input: Input): number {
  return typeof input === 'string' ? tokensOf(withoutMarkers(input)) : input.length;
}

function inputsOf(body: Reader, { mostInputs, mostTokens, takesTokens }: EmbeddingRules): readonly Input[] {
  const given = body.value['input'];
  const list = typeof given === 'string' || isTokens(given) ? [given] : body.array('input');
  if (list.length === 0) body.fail('input', 'at least one text');
  if (list.length > mostInputs) body.fail('input', `at most ${mostInputs} texts`);
  return list.map((item) => {
    if (item === '' || (typeof item !== 'string' && !(takesTokens && isTokens(item))))
      body.fail('input', 'texts that are not empty');
    if (tokensIn(item) > mostTokens) body.fail('input', `texts of at most ${mostTokens} tokens`);
    return item;
  });
}

function isTokens(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((id) => Number.isInteger(id));
}
