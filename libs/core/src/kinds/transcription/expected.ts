/** What writing down a recording uses, before anybody has done it and where the vendor has not said. */
import type { Usage } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import { tokensOfSound } from '../../paid/token-estimates.ts';

/** Of text; a fast speaker of a language that writes syllables says half as many. */
const TOKENS_PER_SECOND = 25;
/** Of a few seconds in which much is said. */
const LEAST_TOKENS = 256;
const CHARACTERS_PER_TOKEN = 4;

/** What of a request says how much it may use. */
export interface Recorded {
  readonly seconds: number;
  readonly prompt?: string;
}

/** Whether the model translates into English. */
export function translates({ limits }: Pick<ModelRow, 'limits'>): boolean {
  return limits['translates'] === true;
}

/** The most that a transcript may use. */
export function mostOfTranscript({ seconds, prompt = '' }: Recorded, row: ModelRow): Usage {
  if (isBySecond(row)) return { seconds };
  const audio = tokensOfSound(seconds);
  const { max_output_tokens: most } = row.limits;
  const text = Math.max(LEAST_TOKENS, Math.ceil(seconds * TOKENS_PER_SECOND));
  return {
    seconds,
    inputTokens: audio + Buffer.byteLength(prompt),
    inputAudioTokens: audio,
    outputTokens: typeof most === 'number' ? Math.min(most, text) : text,
  };
}

/**
 * What of a report is billed: the seconds that were measured, whatever the vendor made of them; and its tokens, or what so much sound and
 * text have where it told none.
 */
export function usageOfTranscript(
  reported: Usage,
  { seconds, prompt = '' }: Recorded,
  text: string,
  row: ModelRow,
): Usage {
  if (isBySecond(row) || reported.inputTokens !== undefined || reported.outputTokens !== undefined)
    return { ...reported, seconds: reported.seconds ?? seconds };
  const audio = tokensOfSound(seconds);
  return {
    seconds,
    inputTokens: audio + Math.ceil(prompt.length / CHARACTERS_PER_TOKEN),
    inputAudioTokens: audio,
    outputTokens: Math.ceil(text.length / CHARACTERS_PER_TOKEN),
    estimated: true,
  };
}

/** Whether the length alone has the price. */
export function isBySecond({ price }: Pick<ModelRow, 'price'>): boolean {
  return price.second !== undefined;
}
