/** Music: a prompt to sound as it comes, billed by the length that was asked for. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { MusicAdapter, MusicCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { runPaid, type PaidParts } from '../../paid/paid-request.ts';
import { UNTIL_TAKEN } from '../../paid/repeat.ts';
import { answered, mediaCandidates, type MediaControl } from '../../paid/routed.ts';
import { newTrace, withoutSetting, type Trace } from '../../paid/trace.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';
import { paidAudio, type Spoken } from '../speech/speech.ts';

export interface MusicCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly input: MusicCreate;
  /** The input for another model that the row leads to. Throws what that one has against it. */
  readonly read: (row: ModelRow) => MusicCreate;
  readonly endpoint: string;
  /** What the caller says of the way that the request may take; absent: nothing. */
  readonly control?: MediaControl;
}
export interface Music {
  /** Throws GatewayError; nothing is charged then. */
  compose(call: MusicCall, trace?: Trace): Promise<Pick<Spoken, 'mime' | 'audio'>>;
}
export type MusicParts = PaidParts & Pick<Parts, 'router' | 'now' | 'log'> & { readonly openOffer: OpenOffer };

/** Makes the music side of a gateway. */
export function createMusic(parts: MusicParts): Music {
  return {
    async compose(call, trace = newTrace()) {
      const { caller, row, endpoint } = call;
      return runPaid(parts, {
        caller,
        row,
        endpoint,
        trace,
        repeat: UNTIL_TAKEN,
        quote: { most: usageOf(call.input) },
        ...mediaCandidates(parts, call.input, {
          caller,
          row,
          read: call.read,
          termsOf: (input) => ({ quote: { most: usageOf(input) } }),
          facts: () => ({ text: call.input.prompt, inputs: new Set() }),
          repeat: UNTIL_TAKEN,
          ...(call.control !== undefined && { control: call.control }),
        }),
        async attempt({ offer, input, row: own = row, by }, payment) {
          const over = new AbortController();
          const onDisconnect = offer.account.onDisconnect.others;
          const signal = onDisconnect === 'abort' ? AbortSignal.any([caller.signal, over.signal]) : over.signal;
          const { adapter, upstream } = parts.openOffer(offer, signal, trace);
          const since = parts.now();
          const reply = await composerOf(adapter.music).compose(input, upstream);
          if (by !== undefined) answered(parts, row, { offer, row: own, by }, { since, size: input.seconds });
          trace.dropped = withoutSetting(reply.dropped);
          return {
            mime: reply.mime,
            audio: paidAudio(reply, caller.signal, {
              payment,
              heard: () => usageOf(input),
              reported: () => reply.usage(),
              close: () => over.abort(),
              onDisconnect,
            }),
          };
        },
      });
    },
  };
}

/** What is asked for is what is billed, whatever a vendor makes of it. */
function usageOf({ seconds }: MusicCreate): Usage {
  return { seconds };
}

function composerOf(adapter: MusicAdapter | undefined): MusicAdapter {
  if (adapter === undefined) throw new GatewayError('internal', 'the offer’s vendor makes no music');
  return adapter;
}
