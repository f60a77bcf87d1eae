/** Whether a server has read a prompt whole, by the tokens that it reports. Some drop the beginning of a conversation and do not say so (docs/wire/local-servers.md). */
import { GatewayError, type DialectName, type JsonObject, type Usage } from '@model-gateway/contracts';
import { dialects, textAt } from '@model-gateway/translate';
import type { TruncatedPrompt } from '../../paid/trace.ts';
import { tokensOfTexts } from '../../paid/token-estimates.ts';

/** A report below this share of the estimate is no matter of the tokenizer any more. */
const LEAST_SHARE = 0.5;
/** Shorter prompts fit everywhere, and templates weigh in them. */
const LEAST_TOKENS = 1_000;
/** No tokenizer makes fewer tokens than one of so many bytes, but of what repeats itself. */
const BYTES_PER_TOKEN = 4;
/** How files in base64 begin, which are no texts. */
const FILE = /^(?:data:[\w.+-]+\/|[\w+/=-]{256})/;
const RUN = /(.)\1{7,}/gsu;
/** Thoughts of earlier turns: many templates leave them away. */
const THOUGHTS = /reasoning|thinking|thought/i;

interface AskedBody {
  readonly bytes: Uint8Array;
  readonly json: JsonObject;
}

/** What was read of a prompt and what it has by our estimate, where that is far more; undefined where it is not, or nobody reports. */
export function truncatedPrompt(
  { dialect, body }: { readonly dialect: DialectName; readonly body: AskedBody },
  usage: Usage | undefined,
): TruncatedPrompt | undefined {
  const read = usage?.inputTokens;
  if (read === undefined || usage?.estimated === true) return undefined;
  // Nearly every prompt ends here: its bytes alone say that it was read.
  if (body.bytes.length * LEAST_SHARE < read * BYTES_PER_TOKEN) return undefined;
  const estimated = tokensOfTexts(textsIn(dialect, body.json));
  return estimated >= LEAST_TOKENS && read < estimated * LEAST_SHARE ? { read, estimated } : undefined;
}

/** The refusal of an answer to half a question. */
export function promptTooLong({ read, estimated }: TruncatedPrompt): GatewayError {
  const message = `the model’s server read ${read} of about ${estimated} prompt tokens: the prompt is longer than its context`;
  return new GatewayError('context_length_exceeded', message);
}

/** Texts that people and tools wrote, without declarations, which not every template shows; runs of one character, which tokenizers take as one, are short. */
function textsIn(dialect: DialectName, body: JsonObject): string[] {
  return dialects[dialect].texts
    .inRequest(body)
    .filter(({ param }) => !THOUGHTS.test(param))
    .map(textAt)
    .filter((text) => !FILE.test(text))
    .map((text) => text.replaceAll(RUN, '$1'));
}
