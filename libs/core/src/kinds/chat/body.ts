/** What a chat request may cost at most, what it costs for certain, and what of a vendor's report is believed. */
import type { DialectName, Usage } from '@model-gateway/contracts';
import { dialects, type BodyBytes, type RequestCost } from '@model-gateway/translate';
import type { ModelRow, Price } from '../../catalogue.ts';
import { inputUsage, mostOfRow, outputUsage, searchUsage, worstUsage, type ReportableUsage } from './worst-case.ts';

/** No tokenizer makes more tokens of a text than it has bytes in UTF-8; JSON has at least as many. */
const MOST_TOKENS_PER_BYTE = 1;
/** Sound of the lowest rates that vendors take: 6 kbit/s, and 32 tokens a second. */
const AUDIO_CHARACTERS_PER_TOKEN = 16;
/** What vendors write around a conversation. */
const FRAME_TOKENS = 64;
/** How they explain tools and forms of answers to the model, beside the schemas. */
const EXPLANATION_TOKENS = 1_024;
/** What surely is text rather than JSON or media, and its tokens at the least. */
const SURE_TEXT_BYTES = 100_000;
const MOST_BYTES_PER_TOKEN = 6;
/** Text averages four bytes a token; three leaves room. */
const USUAL_BYTES_PER_TOKEN = 3;

/** A chat body as it came, and what it says. */
export type ChatBody = BodyBytes;

/** What is set aside for a request; the same is told by an estimate. */
export function largestUsage(row: Pick<ModelRow, 'limits' | 'price'>, cost: RequestCost, bytes: number): Usage {
  if (cost.outside !== undefined) return worstUsage(row, cost);
  const most = mostOfRow(row);
  return {
    ...inputUsage(row.price, inputTokens(row, cost, bytes), cost.cachesForAnHour),
    ...outputUsage(row.price, outputTokens(most, cost) * cost.answers, {
      audio: cost.mayAnswerAudio,
      images: cost.mayAnswerImages,
    }),
    ...searchUsage(row.price, Math.min(cost.searches, most.webSearches)),
  };
}

/** Within the model's context; the dearest first, should there be more than fits. */
function inputTokens(row: Pick<ModelRow, 'limits'>, cost: RequestCost, bytes: number) {
  const most = mostOfRow(row);
  let room = most.context;
  const take = (tokens: number): number => {
    const taken = Math.min(room, tokens);
    room -= taken;
    return taken;
  };
  const audio = take(Math.ceil(cost.audioCharacters / AUDIO_CHARACTERS_PER_TOKEN));
  const images = take(cost.images * most.imageTokens);
  const frame = FRAME_TOKENS + (cost.explained ? EXPLANATION_TOKENS : 0);
  return { audio, images, text: take(textBytes(cost, bytes) * MOST_TOKENS_PER_BYTE + frame), any: 0 };
}

function outputTokens({ output, reasoning }: ReturnType<typeof mostOfRow>, { cap, beyondCap }: RequestCost): number {
  return cap === undefined ? output : Math.min(output, cap + beyondCap + reasoning);
}

/** The tokens this request costs for certain: a lower guess of its input, and one to say something with. */
export function leastUsage(cost: RequestCost, bytes: number): Usage {
  return {
    inputTokens: Math.ceil(Math.min(textBytes(cost, bytes), SURE_TEXT_BYTES) / MOST_BYTES_PER_TOKEN),
    outputTokens: 1,
  };
}

/** The most tokens that the text of a body can have. */
function textBytes({ mediaCharacters }: RequestCost, bytes: number): number {
  return Math.max(0, bytes - mediaCharacters);
}

/** What of a report can be true: every count within what can be reported. The same object when all is. */
export function believable(reported: Usage, most: ReportableUsage): Usage {
  const capped: { -readonly [Name in keyof Usage]: Usage[Name] } = { ...reported };
  let same = true;
  for (const name of ['inputTokens', 'outputTokens', 'webSearches'] as const) {
    const count = reported[name];
    if (count === undefined || count <= most[name]) continue;
    capped[name] = most[name];
    same = false;
  }
  return same ? reported : capped;
}

/** What an answer is billed by, where the report of its vendor cannot tell how often was searched. */
export function withUncounted(usage: Usage, { uncountedSearches }: RequestCost, price: Price): Usage {
  if (uncountedSearches === 0 || price.web_search === undefined || usage.webSearches !== undefined) return usage;
  return { ...usage, webSearches: uncountedSearches };
}

/** As many tokens as the text of a body surely has not more than, where no vendor counted them: long text is not read for a guess. */
export function inputBound(dialect: DialectName, { bytes, json }: ChatBody): number {
  return Math.ceil(textBytes(dialects[dialect].readCost(json), bytes.length) / USUAL_BYTES_PER_TOKEN);
}
