/** Putting a request into the queue of what is answered in the background: with the money that it may cost at most. */
import { keptResponses, type KeptAs } from '@model-gateway/translate';
import { guardedChat } from '../guardrails/guarded-chat.ts';
import { createChat } from '../kinds/chat/chat-service.ts';
import type { ChatCall } from '../kinds/chat/types.ts';
import { payerOf } from '../money/payer-states.ts';
import { taggedDetail, type Spending } from '../money/spending.ts';
import type { Need, ResponseRecord } from '../ports.ts';
import type { Archive } from './archive.ts';
import { followed, type EventLog } from './event-log.ts';
import { responseIdOf } from './ids.ts';
import { readingCompactions } from './compaction.ts';
import { callWithHistory, type Enqueue } from './kept-chat.ts';
import type { ResponseParts } from './types.ts';

export interface EnqueueOptions {
  readonly parts: ResponseParts;
  readonly archive: Archive;
  readonly events: EventLog;
  /** There is something to do. */
  readonly queued: () => void;
}

/** Refuses at once what no model could be asked, and who cannot pay. */
export function createEnqueue({ parts, archive, events, queued }: EnqueueOptions): Enqueue {
  const { store, now } = parts;
  const quoting = readingCompactions(
    guardedChat(createChat({ ...parts, spending: quotingSpending }), parts),
    parts.keeping.sealing,
  );

  /** Throws what the request would be refused with. */
  const quote = async (call: ChatCall): Promise<number> => {
    try {
      await quoting.answer(call);
    } catch (error) {
      if (error instanceof Quoted) return error.need.most;
      throw error;
    }
    throw new Error('a quote was answered');
  };

  return async (call, wish, trace) => {
    if (call.onLimit?.refusal !== undefined) throw call.onLimit.refusal;
    const asked = await callWithHistory(archive, { ...call, stream: true }, wish);
    const amount = await quote(asked);
    const { caller, body, model } = call;
    const { ownerId, mode, id: keyId } = caller.key;
    const at = now();
    const kept: KeptAs = { ...wish, id: responseIdOf(parts.randomId()) };
    const of = { id: kept.id, ownerId, mode };
    const bare = keptResponses.bareResponse(
      { body: body.json, model, id: kept.id, at: Math.floor(at / 1000) },
      { status: 'queued' },
    );
    const shown = keptResponses.shownAs(bare, kept);
    const record: ResponseRecord = {
      kind: 'response',
      ...of,
      keyId,
      model,
      status: 'queued',
      background: true,
      ...(kept.previousId !== undefined && { previousId: kept.previousId }),
      ...(kept.conversationId !== undefined && { conversationId: kept.conversationId }),
      requestId: caller.requestId,
      createdAt: at,
      expiresAt: archive.expiry(),
      asked: archive.sealAsked(of, {
        items: keptResponses.inputItems(body.json['input'], parts.randomId),
        call: {
          body: body.json,
          headers: call.headers,
          endpoint: call.endpoint,
          ...(call.control !== undefined && { control: call.control }),
          ...((caller.tags ?? caller.identity) !== undefined && { labels: taggedDetail({}, caller) }),
        },
      }),
      reply: archive.sealReply(of, shown),
      submitted: false,
      cancelRequested: false,
      isOpen: true,
    };
    const detail = taggedDetail({ endpoint: call.endpoint }, caller);
    const first = ['response.created', 'response.queued'].map((type, index) => ({
      type,
      sequence_number: index,
      response: shown,
    }));
    const event = archive.sealEvents(of, first, first.length - 1);
    await store.responses.enqueue(record, event, { payer: payerOf(caller), amount, detail }, at);
    trace.isQueued = true;
    parts.step?.('response.queued');
    await archive.written(of, record.asked.length + record.reply.length);
    queued();
    if (!call.stream) return { trace, reply: { type: 'whole', body: JSON.stringify(shown) } };
    return { trace, reply: followed(events, of, caller.signal) };
  };
}

/** Thrown in place of a reservation: what would be set aside. */
class Quoted extends Error {
  readonly need: Need;

  constructor(need: Need) {
    super('a quote is no request');
    this.need = need;
  }
}

/** Spending that tells what a request would set aside, and lets no vendor be asked. */
const quotingSpending: Pick<Spending, 'reserve'> = {
  reserve(_caller, units) {
    throw new Quoted(typeof units === 'number' ? { most: units, least: units } : units);
  },
};
