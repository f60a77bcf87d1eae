/** What writing down a recording uses, before anybody has done it and where the vendor has not said. */
import type { Usage } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import { REPORT_TOLERANCE, times, toldOf, type ReportBound } from '../../paid/payment.ts';
import { TOKENS_AROUND_REQUEST, tokensOfSound } from '../../paid/token-estimates.ts';

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
    inputTokens: audio + Buffer.byteLength(prompt) + TOKENS_AROUND_REQUEST,
    inputAudioTokens: audio,
    outputTokens: typeof most === 'number' ? Math.min(most, text) : text,
  };
}

/** A vendor rounds up to whole seconds, and decoders fill up the last packet. */
const REPORT_MARGIN = { share: 0.1, seconds: 1 };

/** How long a recording is by what is in it; `mostSeconds` is what its bytes can hold, where that is known. */
export interface MeasuredLength {
  readonly seconds: number;
  readonly mostSeconds?: number;
}

/** How long a recording is for its bill: as measured, or as the vendor reports when that is more and its bytes can hold it. */
export function billedSeconds(reported: number | undefined, { seconds, mostSeconds }: MeasuredLength): number {
  if (reported === undefined || !(reported > seconds)) return seconds;
  const most = mostSeconds ?? seconds * (1 + REPORT_MARGIN.share) + REPORT_MARGIN.seconds;
  return Math.max(seconds, Math.min(reported, most));
}

/** What may be reported of a recording: of its length what its bytes can hold. */
export function boundOfTranscript(most: Usage, length: MeasuredLength): ReportBound {
  return {
    believed: { ...times(most, REPORT_TOLERANCE), seconds: billedSeconds(Infinity, length) },
    instead: most,
  };
}

/** Whether a vendor made more or less of a recording than rounding explains. */
export function isAnotherLength(reported: number, seconds: number): boolean {
  const difference = Math.abs(reported - seconds);
  return !(difference <= REPORT_MARGIN.share * seconds || difference < REPORT_MARGIN.seconds);
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
  const told = toldOf(reported);
  const isToldAll = told.inputTokens !== undefined && (told.outputTokens !== undefined || text === '');
  if (isBySecond(row) || isToldAll) return { seconds, ...told };
  const audio = tokensOfSound(seconds);
  return {
    seconds,
    inputTokens: audio + Math.ceil(prompt.length / CHARACTERS_PER_TOKEN),
    inputAudioTokens: audio,
    outputTokens: Math.ceil(text.length / CHARACTERS_PER_TOKEN),
    ...told,
    estimated: true,
  };
}

/** Whether the length alone has the price. */
export function isBySecond({ price }: Pick<ModelRow, 'price'>): boolean {
  return price.second !== undefined;
}
