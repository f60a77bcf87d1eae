/** Transcripts: a recording on disk to text, whole or as it is written, billed by its measured length or the vendor's tokens. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type {
  Transcript,
  TranscriptEvent,
  TranscriptionAdapter,
  TranscriptionCreate,
} from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { createMediaProbeWorker, type MediaProbeWorker } from '../../media-probe/media-probe-worker.ts';
import { refuseKept, type KeptParts } from '../../paid/kept-by-vendors.ts';
import { UNTIL_TAKEN } from '../../paid/repeat.ts';
import { answered, mediaCandidates, type InputCandidate, type MediaControl } from '../../paid/routed.ts';
import { runPaid, type PaidParts } from '../../paid/paid-request.ts';
import type { Payment, PriceTerms } from '../../paid/payment.ts';
import { newTrace, withoutSetting, type Trace } from '../../paid/trace.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';
import {
  billedSeconds,
  boundOfTranscript,
  isAnotherLength,
  isBySecond,
  mostOfTranscript,
  usageOfTranscript,
  type MeasuredLength,
} from './expected.ts';
import type { TranscriptionAsk } from './form.ts';
import { measureRecording, recordingFor } from './recording.ts';
import { paidTranscriptEvents, type WrittenEvent } from './transcript-stream.ts';

export type { WrittenEvent } from './transcript-stream.ts';

export interface TranscriptionCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  /** Its file must be there until the promise, or the events, have ended. */
  readonly ask: TranscriptionAsk;
  /** What is asked of another model that the row leads to. Throws what that one has against it. */
  readonly read: (row: ModelRow) => TranscriptionAsk;
  readonly endpoint: string;
  /** What the caller says of the way that the request may take; absent: nothing. */
  readonly control?: MediaControl;
}
export interface Transcriptions {
  /** Throws GatewayError; nothing is charged then. */
  transcribe(call: TranscriptionCall, trace?: Trace): Promise<Transcript>;
  /** Events as the reader pulls them. The first is awaited before anything is said. */
  stream(call: TranscriptionCall, trace?: Trace): Promise<AsyncIterable<WrittenEvent>>;
}
export type TranscriptionParts = PaidParts &
  KeptParts &
  Pick<Parts, 'router' | 'now' | 'log'> & { readonly openOffer: OpenOffer };

/** Makes the transcribing side of a gateway. */
export function createTranscriptions(
  parts: TranscriptionParts,
  probe: MediaProbeWorker = createMediaProbeWorker(),
): Transcriptions {
  return new TranscriptionService(parts, probe);
}

type Attempt<T> = (candidate: InputCandidate<TranscriptionCreate>, payment: Payment) => Promise<T>;

class TranscriptionService implements Transcriptions {
  private readonly parts: TranscriptionParts;
  private readonly probe: MediaProbeWorker;

  constructor(parts: TranscriptionParts, probe: MediaProbeWorker) {
    this.parts = parts;
    this.probe = probe;
  }

  transcribe(call: TranscriptionCall, trace: Trace = newTrace()): Promise<Transcript> {
    return this.run(call, trace, async ({ offer, input, row = call.row }, payment) => {
      const isCut = offer.account.onDisconnect.others === 'abort';
      const { adapter, upstream } = this.parts.openOffer(offer, isCut ? call.caller.signal : undefined, trace);
      const { body, usage, dropped } = await writerOf(adapter.transcriptions).transcribe(input, upstream);
      trace.dropped = withoutSetting(dropped);
      payment.settle({ usage: usageOfTranscript(usage, input, body.text, row), reported: usage });
      return { body };
    });
  }

  stream(call: TranscriptionCall, trace: Trace = newTrace()): Promise<AsyncIterable<WrittenEvent>> {
    const { caller } = call;
    return this.run(call, trace, async ({ offer, input, row = call.row }, payment) => {
      const over = new AbortController();
      const onDisconnect = offer.account.onDisconnect.others;
      const signal = onDisconnect === 'abort' ? AbortSignal.any([caller.signal, over.signal]) : over.signal;
      const { adapter, upstream } = this.parts.openOffer(offer, signal, trace);
      const events = writerOf(adapter.transcriptions).stream(input, upstream)[Symbol.asyncIterator]();
      const first: IteratorResult<TranscriptEvent> = await events.next();
      if (first.done !== true && first.value.type === 'started') trace.dropped = withoutSetting(first.value.dropped);
      return paidTranscriptEvents(events, caller.signal, {
        payment,
        onDisconnect,
        close: () => over.abort(),
        isOnePrice: isBySecond(row),
        usageOf: (reported, text) => usageOfTranscript(reported, input, text, row),
      });
    });
  }

  private async run<T>(call: TranscriptionCall, trace: Trace, attempt: Attempt<T>): Promise<T> {
    const { parts } = this;
    const { caller, row, ask, endpoint, control } = call;
    const measured = await measureRecording(this.probe, ask.file);
    const inputFor = (asked: TranscriptionAsk, each: ModelRow): TranscriptionCreate => ({
      ...asked,
      ...recordingFor(each, asked.file, measured),
    });
    const input = inputFor(ask, row);
    const length = { ...measured, seconds: input.seconds };
    const termsOf = (each: TranscriptionCreate, own: ModelRow): Omit<PriceTerms, 'row'> => {
      const most = mostOfTranscript(each, own);
      return { quote: { most, bound: () => boundOfTranscript(most, length) } };
    };
    return runPaid(parts, {
      caller,
      row,
      endpoint,
      trace,
      repeat: UNTIL_TAKEN,
      ...termsOf(input, row),
      ...mediaCandidates(parts, input, {
        caller,
        row,
        read: (each) => inputFor(call.read(each), each),
        termsOf,
        facts: () => ({ text: input.prompt ?? '', inputs: new Set() }),
        repeat: UNTIL_TAKEN,
        ...(control !== undefined && { control }),
      }),
      completed: (reported) => boundLength(parts, call, reported, length),
      async prepare(candidate) {
        const whose = { ownerId: caller.key.ownerId, offers: [candidate.offer] };
        await refuseKept(parts, Object.fromEntries(ask.extra), whose);
        return candidate;
      },
      async attempt(candidate, payment) {
        const since = parts.now();
        const answer = await attempt(candidate, payment);
        const { offer, row: own = row, by } = candidate;
        if (by !== undefined) answered(parts, row, { offer, row: own, by }, { since, size: input.seconds });
        return answer;
      },
    });
  }
}

/** A report as it is billed; what the vendor said stays beside it in the ledger. */
function boundLength(
  { log }: TranscriptionParts,
  { caller, row }: TranscriptionCall,
  reported: Usage,
  measured: MeasuredLength,
): Usage {
  const seconds = billedSeconds(reported.seconds, measured);
  if (reported.seconds !== undefined && isAnotherLength(reported.seconds, measured.seconds))
    log.warn(
      {
        request_id: caller.requestId,
        model: row.code,
        measured: measured.seconds,
        reported: reported.seconds,
        billed: seconds,
      },
      'a vendor reports another length of a recording than was measured',
    );
  return reported.seconds === seconds ? reported : { ...reported, seconds };
}

function writerOf(adapter: TranscriptionAdapter | undefined): TranscriptionAdapter {
  if (adapter === undefined) throw new GatewayError('internal', 'the offer’s vendor writes no transcripts');
  return adapter;
}
