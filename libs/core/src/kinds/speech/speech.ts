/** Speech: text to sound as it arrives, billed when its reader is through. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { SpeechAdapter, SpeechCreate, SpeechReply } from '@model-gateway/provider-kit';
import { offersFor, type ModelRow } from '../../catalogue.ts';
import { untilEnd, type ReadingEnd } from '../../paid/paid-stream.ts';
import { UNTIL_TAKEN } from '../../paid/repeat.ts';
import { runPaid, type Outcome, type PaidParts, type Payment } from '../../paid/run-paid.ts';
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
        quote: { most: expected },
        believe: (reported) => billableSpeech(reported, expected),
        async attempt({ offer }, payment) {
          const over = new AbortController();
          const { adapter, upstream } = parts.openOffer(offer, AbortSignal.any([caller.signal, over.signal]));
          const reply = await speakerOf(adapter.speech).speak(input, upstream);
          trace.dropped = withoutSetting(reply.dropped);
          const usage = (): Usage => ({ ...expected, ...reply.usage() });
          return {
            mime: reply.mime,
            id: reply.id,
            audio: paidAudio(reply, caller.signal, { payment, usage, close: () => over.abort() }),
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
  readonly usage: () => Usage;
  /** Lets go of the vendor's connection. */
  readonly close: () => void;
}

function paidAudio(
  { audio }: SpeechReply,
  signal: AbortSignal,
  { payment, usage, close }: Settling,
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
  return untilEnd(counted(), signal, (end) => {
    // Sound of which nothing came costs nothing.
    payment.settle(outcomeOf(end, bytes === 0 ? undefined : usage()));
    if (end.how !== 'read') close();
  });
}

function outcomeOf(end: ReadingEnd, usage: Usage | undefined): Outcome {
  if (end.how === 'failed' && end.error instanceof GatewayError) return { usage, error: end.error };
  return { usage, inconclusive: end.how !== 'read' };
}
