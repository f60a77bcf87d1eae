/** What adapters share whose vendors answer with words and their times: OpenAI's forms of a transcript are made of them (docs/wire/transcription.md). */
import type { JsonObject } from '@model-gateway/contracts';
import type { Transcript, TranscriptEvent, TranscriptionCreate } from './transcription-adapter.ts';
import type { Generated, FormPart } from './adapter.ts';

/** A recording is answered when all of it has been heard: an hour of sound takes minutes. */
export const TRANSCRIPTION_SECONDS = 600;

export interface TimedWord {
  /** As it is written, with its punctuation and without spaces around it. */
  readonly text: string;
  /** Seconds from the beginning. */
  readonly start: number;
  readonly end: number;
  readonly speaker?: string;
}

/** What a vendor heard. */
export interface HeardSpeech {
  readonly text: string;
  readonly words: readonly TimedWord[];
  /** The vendor's own stretches of the recording; made of the words without them. */
  readonly segments?: readonly TimedWord[];
  /** A code of ISO 639 or BCP 47. */
  readonly language?: string;
  /** Seconds, by the vendor. */
  readonly duration?: number;
}

/** A segment ends where somebody else speaks, after a sentence, at a pause, and before it is too long for two lines of subtitles. */
const PAUSE_SECONDS = 1;
const LONGEST_SEGMENT = 84;
const SENTENCE_END = /[.!?…。！？]["'”’)\]]*$/;
/** Scripts that write no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Words as stretches of the recording, each of one speaker. */
export function segmentsOfWords(words: readonly TimedWord[]): readonly TimedWord[] {
  const segments: TimedWord[] = [];
  let open: TimedWord | undefined;
  for (const word of words) {
    if (open !== undefined && endsBefore(open, word)) {
      segments.push(open);
      open = undefined;
    }
    open = open === undefined ? word : { ...open, text: joined(open.text, word.text), end: word.end };
  }
  return open === undefined ? segments : [...segments, open];
}

function endsBefore(segment: TimedWord, next: TimedWord): boolean {
  return (
    segment.speaker !== next.speaker ||
    next.start - segment.end >= PAUSE_SECONDS ||
    SENTENCE_END.test(segment.text) ||
    segment.text.length + next.text.length >= LONGEST_SEGMENT
  );
}

function joined(left: string, right: string): string {
  const isTight = UNSPACED.test(left.slice(-1)) && UNSPACED.test(right.slice(0, 1));
  return isTight ? left + right : `${left} ${right}`;
}

/** The transcript in the form that was asked for. Without times there are no segments. */
export function transcriptOf(
  heard: HeardSpeech,
  { form, task, granularities }: Pick<TranscriptionCreate, 'form' | 'task' | 'granularities'>,
): Transcript['body'] {
  const { text, duration } = heard;
  const usage = duration !== undefined && { usage: { type: 'duration', seconds: Math.ceil(duration) } };
  if (form === 'json') return { text, ...usage };
  const segments = heard.segments ?? segmentsOfWords(heard.words);
  const length = duration !== undefined && { duration };
  if (form === 'diarized_json')
    return { task, ...length, text, segments: segments.map((each, index) => spokenSegment(each, index)), ...usage };
  const language = heard.language === undefined ? undefined : languageName(heard.language);
  return {
    task,
    ...(language !== undefined && { language }),
    ...length,
    text,
    segments: segments.map(({ start, end, text: said }, id) => ({ id, start, end, text: said })),
    ...(granularities.includes('word') && {
      words: heard.words.map(({ text: word, start, end }) => ({ word, start, end })),
    }),
    ...usage,
  };
}

function spokenSegment({ start, end, text, speaker }: TimedWord, index: number): JsonObject {
  return { type: 'transcript.text.segment', id: `seg_${index}`, start, end, speaker: speaker ?? 'A', text };
}

/** The events of a vendor that answers whole: the segments where speakers are wanted, all of the text, and the end. */
export async function* wholeTranscriptEvents(
  answer: Promise<Generated<Transcript>>,
): AsyncGenerator<TranscriptEvent, void, undefined> {
  const { body, usage, dropped } = await answer;
  const { text, segments, usage: told } = body;
  yield { type: 'started', dropped };
  for (const segment of Array.isArray(segments) ? segments : []) {
    if (isSpoken(segment)) yield { type: 'segment', body: segment };
  }
  if (text !== '') yield { type: 'delta', body: { type: 'transcript.text.delta', delta: text } };
  yield {
    type: 'done',
    body: { type: 'transcript.text.done', text, ...(told !== undefined && { usage: told }) },
    usage,
  };
}

function isSpoken(segment: unknown): segment is JsonObject {
  return typeof segment === 'object' && segment !== null && 'speaker' in segment;
}

/** Speakers as OpenAI names them, `A`, `B` and on, in the order in which they speak. */
export class SpeakerNames {
  readonly #names = new Map<string, string>();

  of(vendorName: string): string {
    const known = this.#names.get(vendorName);
    if (known !== undefined) return known;
    const number = this.#names.size;
    const name = number < 26 ? String.fromCharCode(65 + number) : `Speaker ${number + 1}`;
    this.#names.set(vendorName, name);
    return name;
  }
}

/** The English name of a language, as verbose_json has it: `english` of `en`, `eng` and `en-US`. */
export function languageName(code: string): string {
  try {
    const { language } = new Intl.Locale(code.replaceAll('_', '-'));
    const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(language) ?? code;
    return name.toLowerCase();
  } catch {
    return code;
  }
}

/** A language with the region that is usual for it, for vendors who want one: `en-US` of `en`. As it is where it has one, or is no code. */
export function localeOf(language: string): string {
  try {
    const locale = new Intl.Locale(language.replaceAll('_', '-'));
    if (locale.region !== undefined) return locale.baseName;
    const { language: code, region } = locale.maximize();
    return region === undefined ? code : `${code}-${region}`;
  } catch {
    return language;
  }
}

/** The fields of a request that have a value, as parts of a form. */
export function formParts(fields: readonly (readonly [name: string, value: string | undefined])[]): FormPart[] {
  return fields.flatMap(([name, value]): FormPart[] => (value === undefined ? [] : [{ name, value }]));
}

/** The caller's further fields among those that the vendor has and that change no price; and the names of all others, which are not sent. */
export function sortFields(
  extra: TranscriptionCreate['extra'],
  known: ReadonlySet<string>,
): { readonly sent: TranscriptionCreate['extra']; readonly dropped: readonly string[] } {
  const sent = extra.filter(([name]) => known.has(name));
  return { sent, dropped: [...new Set(extra.map(([name]) => name).filter((name) => !known.has(name)))] };
}
