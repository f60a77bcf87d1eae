/** Speech: text to sound as it arrives, billed when its reader is through. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { SpeechAdapter, SpeechCreate, SpeechReply } from '@model-gateway/provider-kit';
import { offersFor, type ModelRow } from '../../catalogue.ts';
import { untilEnd, type ReadingEnd } from '../../paid/paid-stream.ts';
import { UNTIL_TAKEN } from '../../paid/repeat.ts';
import { runPaid, type Outcome, type PaidParts, type Payment } from '../../paid/run-paid.ts';
import { secondsOfSound, tokensOfSound } from '../../paid/sound.ts';
import { newTrace, withoutSetting, type Trace } from '../../paid/trace.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';

const LARGEST_AUDIO = 256 * 1024 * 1024;

export interface SpeechCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly input: SpeechCreate;
  readonly endpoint: string;
}
/** Sound as it arrives; it is billed when `audio` has ended or its reader has gone. */
export interface Spoken {
  readonly mime: string;
  readonly id: string | undefined;
  readonly audio: AsyncIterable<Uint8Array>;
  /** Known when `audio` has ended. */
  readonly usage: () => Usage;
}
export interface Speech {
  /** Throws GatewayError; nothing is charged then. */
  speak(call: SpeechCall, trace?: Trace): Promise<Spoken>;
}
export type SpeechParts = PaidParts & Pick<Parts, 'router'> & { readonly openOffer: OpenOffer };

/** What speaking a text uses: Unicode code points, what vendors call characters. */
export function usageOfSpeech(text: string): Usage {
  return { characters: Array.from(text).length };
}

/** What of a report is billed: no more characters than were sent. The same object when it has no more. */
function billableSpeech(reported: Usage, { characters: most = 0 }: Usage): Usage {
  return (reported.characters ?? 0) <= most ? reported : { ...reported, characters: most };
}

/** Makes the speech side of a gateway. */
export function createSpeech(parts: SpeechParts): Speech {
  return {
    async speak({ caller, row, input, endpoint }, trace = newTrace()) {
      const expected = usageOfSpeech(input.text);
      return runPaid(parts, {
        caller,
        row,
        endpoint,
        trace,
        candidates: parts.router.order(offersFor(parts.catalogue(), row, caller.mode)).map((offer) => ({ offer })),
        repeat: UNTIL_TAKEN,
        quote: { most: mostOfSpeech(input, row) },
        believe: (reported) => billableSpeech(reported, expected),
        async attempt({ offer }, payment) {
          const over = new AbortController();
          const { onDisconnect } = offer.account;
          const isCut = onDisconnect === 'abort';
          const signal = isCut ? AbortSignal.any([caller.signal, over.signal]) : over.signal;
          const { adapter, upstream } = parts.openOffer(offer, signal);
          const reply = await speakerOf(adapter.speech).speak(input, upstream);
          trace.dropped = withoutSetting(reply.dropped);
          const usage = (): Usage => ({ ...expected, ...reply.usage() });
          return {
            mime: reply.mime,
            id: reply.id,
            audio: paidAudio(reply, caller.signal, {
              payment,
              heard: (bytes) => usageHeard(usage(), bytes, { input, row }),
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

function speakerOf(adapter: SpeechAdapter | undefined): SpeechAdapter {
  if (adapter === undefined) throw new GatewayError('internal', 'the offer’s vendor does not speak');
  return adapter;
}

interface Settling {
  readonly payment: Payment;
  /** What is billed when so many bytes of sound have come. */
  readonly heard: (bytes: number) => Usage;
  /** Lets go of the vendor's connection. */
  readonly close: () => void;
  readonly onDisconnect: 'drain' | 'abort';
}

/** Where tokens are priced, sound whose vendor does not report is reckoned by its length. */
function usageHeard(usage: Usage, bytes: number, { input, row }: Pick<SpeechCall, 'input' | 'row'>): Usage {
  if (isByCharacter(row) || usage.outputTokens !== undefined || usage.seconds !== undefined) return usage;
  const seconds = secondsOfSound(bytes, input.format);
  const tokens = tokensOfSound(seconds);
  const { inputTokens = Math.ceil(input.text.length / CHARACTERS_PER_TOKEN) } = usage;
  return { ...usage, inputTokens, seconds, outputTokens: tokens, outputAudioTokens: tokens, estimated: true };
}

const CHARACTERS_PER_TOKEN = 4;
/** Tokens of sound for a character: a slow voice takes a fifth of a second for one of a language that writes syllables. */
const MOST_TOKENS_PER_CHARACTER = 6;

function isByCharacter({ price }: ModelRow): boolean {
  return price.character !== undefined;
}

/** The most that speaking a text may use. */
function mostOfSpeech({ text, speed = 1 }: SpeechCreate, row: ModelRow): Usage {
  const usage = usageOfSpeech(text);
  if (isByCharacter(row)) return usage;
  const outputTokens = Math.ceil(((usage.characters ?? 0) * MOST_TOKENS_PER_CHARACTER) / Math.max(0.25, speed));
  return { ...usage, inputTokens: usage.characters ?? 0, outputTokens };
}

function paidAudio(
  { audio }: SpeechReply,
  signal: AbortSignal,
  { payment, heard, close, onDisconnect }: Settling,
): AsyncIterable<Uint8Array> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of audio) {
        bytes += chunk.byteLength;
        if (bytes > LARGEST_AUDIO) throw new GatewayError('upstream_malformed', 'the vendor’s audio does not end');
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
    payment.settle(outcomeOf(end, bytes === 0 && !isCut ? undefined : heard(bytes)));
    if (end.how !== 'read') close();
  };
  return untilEnd(counted(), signal, ended, { onDisconnect });
}

function outcomeOf(end: ReadingEnd, usage: Usage | undefined): Outcome {
  if (end.how === 'failed' && end.error instanceof GatewayError) return { usage, error: end.error };
  return { usage, inconclusive: end.how !== 'read' };
}
