/** Speech: text to sound as it arrives, billed when its reader is through. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { SpeechAdapter, SpeechCreate, SpeechReply } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { untilEnd, type ReadingEnd } from '../../paid/paid-stream.ts';
import { UNTIL_TAKEN } from '../../paid/repeat.ts';
import { answered, mediaCandidates, type MediaControl } from '../../paid/routed.ts';
import { runPaid, type PaidParts } from '../../paid/paid-request.ts';
import { toldOf, type Outcome, type Payment, type PriceTerms } from '../../paid/payment.ts';
import { secondsOfSound, TOKENS_AROUND_REQUEST, tokensOfSound } from '../../paid/token-estimates.ts';
import { newTrace, withoutSetting, type Trace } from '../../paid/trace.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';

const LARGEST_AUDIO = 256 * 1024 * 1024;

export interface SpeechCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly input: SpeechCreate;
  /** The input for another model that the row leads to. Throws what that one has against it. */
  readonly read: (row: ModelRow) => SpeechCreate;
  readonly endpoint: string;
  /** What the caller says of the way that the request may take; absent: nothing. */
  readonly control?: MediaControl;
}
/** Sound as it arrives; it is billed when `audio` has ended or its reader has gone. */
export interface Spoken {
  readonly mime: string;
  readonly id: string | undefined;
  readonly audio: AsyncIterable<Uint8Array>;
  /** Whether `audio` is the vendor's own events, as text. */
  readonly isEvents: boolean;
  /** Known when `audio` has ended. */
  readonly usage: () => Usage;
}
export interface Speech {
  /** Throws GatewayError; nothing is charged then. */
  speak(call: SpeechCall, trace?: Trace): Promise<Spoken>;
}
export type SpeechParts = PaidParts & Pick<Parts, 'router' | 'now' | 'log'> & { readonly openOffer: OpenOffer };

/** What speaking a text uses: Unicode code points, what vendors call characters. */
export function usageOfSpeech(text: string): Usage {
  return { characters: Array.from(text).length };
}

/** Makes the speech side of a gateway. */
export function createSpeech(parts: SpeechParts): Speech {
  return {
    async speak(call, trace = newTrace()) {
      const { caller, row, endpoint } = call;
      const expected = usageOfSpeech(call.input.text);
      return runPaid(parts, {
        caller,
        row,
        endpoint,
        trace,
        repeat: UNTIL_TAKEN,
        ...termsOf(call.input, row),
        ...mediaCandidates(parts, call.input, {
          caller,
          row,
          read: call.read,
          termsOf,
          facts: () => ({ text: call.input.text, inputs: new Set() }),
          repeat: UNTIL_TAKEN,
          ...(call.control !== undefined && { control: call.control }),
        }),
        async attempt({ offer, input, row: own = row, by }, payment) {
          const over = new AbortController();
          const onDisconnect = offer.account.onDisconnect.others;
          const isCut = onDisconnect === 'abort';
          const signal = isCut ? AbortSignal.any([caller.signal, over.signal]) : over.signal;
          const { adapter, upstream } = parts.openOffer(offer, signal, trace);
          const since = parts.now();
          const reply = await speakerOf(adapter.speech).speak(input, upstream);
          // Sound is compared by the time to its first piece.
          if (by !== undefined) answered(parts, row, { offer, row: own, by }, { since, size: TOKENS_FOR_TIME });
          trace.dropped = withoutSetting(reply.dropped);
          const usage = (): Usage => ({ ...expected, ...toldOf(reply.usage()) });
          return {
            mime: reply.mime,
            id: reply.id,
            isEvents: reply.isEvents === true,
            audio: paidAudio(reply, caller.signal, {
              payment,
              heard: (bytes) => usageHeard(usage(), bytes, { input, row: own }),
              reported: () => reply.usage(),
              close: () => over.abort(),
              onDisconnect,
            }),
            usage,
          };
        },
      });
    },
  };
}

/** As an answer of usual length would be compared. */
const TOKENS_FOR_TIME = 250;

function termsOf(input: SpeechCreate, row: ModelRow): Omit<PriceTerms, 'row'> {
  return { quote: { most: mostOfSpeech(input, row) } };
}

function speakerOf(adapter: SpeechAdapter | undefined): SpeechAdapter {
  if (adapter === undefined) throw new GatewayError('internal', 'the offer’s vendor does not speak');
  return adapter;
}

/** What settles sound that is read piece by piece. */
export interface Settling {
  readonly payment: Payment;
  /** What is billed when so many bytes of sound have come. */
  readonly heard: (bytes: number) => Usage;
  readonly reported: () => Usage;
  /** Lets go of the vendor's connection. */
  readonly close: () => void;
  readonly onDisconnect: 'drain' | 'abort';
}

/** Where tokens are priced, sound whose vendor does not report is reckoned by its length. */
function usageHeard(usage: Usage, bytes: number, { input, row }: Pick<SpeechCall, 'input' | 'row'>): Usage {
  const isToldSeconds = row.price.second !== undefined && usage.seconds !== undefined;
  if (isByCharacter(row) || isToldSeconds || usage.outputTokens !== undefined) return usage;
  const seconds = usage.seconds ?? secondsOfSound(bytes, input.format);
  const tokens = tokensOfSound(seconds);
  const { inputTokens = Math.ceil(input.text.length / CHARACTERS_PER_TOKEN) } = usage;
  return { ...usage, inputTokens, seconds, outputTokens: tokens, outputAudioTokens: tokens, estimated: true };
}

/** Of one answer, so that what came since the last one is a small part of what was set aside. */
const CHECKPOINTS = 64;
const CHARACTERS_PER_TOKEN = 4;
/** Of sound, for a character: a slow voice takes so long for one of a language that writes syllables. */
const MOST_SECONDS_PER_CHARACTER = 0.24;

function isByCharacter({ price }: ModelRow): boolean {
  return price.character !== undefined;
}

/** The most that speaking a text may use. */
export function mostOfSpeech({ text, instructions = '', speed = 1 }: SpeechCreate, row: ModelRow): Usage {
  const usage = usageOfSpeech(text);
  if (isByCharacter(row)) return usage;
  const seconds = ((usage.characters ?? 0) * MOST_SECONDS_PER_CHARACTER) / Math.max(0.25, speed);
  return {
    ...usage,
    inputTokens: Buffer.byteLength(text) + Buffer.byteLength(instructions) + TOKENS_AROUND_REQUEST,
    outputTokens: tokensOfSound(seconds),
    ...(row.price.second !== undefined && { seconds }),
  };
}

/** Sound as it comes, charged once when it has ended or its reader has gone. */
export function paidAudio(
  { audio, soundBytes }: SpeechReply,
  signal: AbortSignal,
  { payment, heard, reported, close, onDisconnect }: Settling,
): AsyncIterable<Uint8Array> {
  let bytes = 0;
  let noted = 0;
  const everyTokens = (payment.most.outputTokens ?? Infinity) / CHECKPOINTS;
  /** Where the text alone has the price, what was set aside is what is charged, however much has come. */
  const note = (): void => {
    const { outputTokens = 0, ...usage } = heard(bytes);
    if (outputTokens < noted + everyTokens) return;
    noted = outputTokens;
    payment.checkpoint(() => ({ ...usage, outputTokens }));
  };
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of audio) {
        bytes = soundBytes?.() ?? bytes + chunk.byteLength;
        if (bytes > LARGEST_AUDIO) throw new GatewayError('upstream_malformed', 'the vendor’s audio does not end');
        note();
        yield chunk;
      }
    } catch (error) {
      throw error instanceof GatewayError
        ? error
        : new GatewayError('upstream_unavailable', 'the vendor’s audio broke off');
    }
  }
  const ended = (end: ReadingEnd): void => {
    const isCut = end.how === 'abandoned' && end.drained !== true;
    // Sound of which nothing came costs nothing, unless it was the reader who did not wait for it.
    payment.settle({
      ...outcomeOf(end, bytes === 0 && !isCut ? undefined : heard(bytes)),
      reported: reported(),
    });
    if (end.how !== 'read') close();
  };
  return untilEnd(counted(), signal, ended, { onDisconnect });
}

function outcomeOf(end: ReadingEnd, usage: Usage | undefined): Outcome {
  if (end.how === 'failed' && end.error instanceof GatewayError) return { usage, error: end.error };
  return { usage, inconclusive: end.how !== 'read' };
}
