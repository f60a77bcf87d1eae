/** Working on one answer in the background: a model is asked, what it says is written down, the end is settled with the hold. */
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import { dialects, keptResponses, type KeptAs } from '@model-gateway/translate';
import { guardedChat } from '../guardrails/guarded-chat.ts';
import { isKeyOver } from '../keys/api-keys.ts';
import { createChat } from '../kinds/chat/chat-service.ts';
import type { Chat, ChatAnswer, ChatCall } from '../kinds/chat/types.ts';
import type { Spending } from '../money/spending.ts';
import { newTrace } from '../paid/trace.ts';
import type { Charge, KeyRecord, Reservation, ResponseEnd, ResponseRecord } from '../ports.ts';
import type { Archive } from './archive.ts';
import type { EventLog, EventWriter } from './event-log.ts';
import { readingCompactions } from './compaction.ts';
import { callWithHistory, statusOf } from './kept-chat.ts';
import { createEventReader } from './kept-stream.ts';
import { pauseFor } from '../tasks/work-loop.ts';
import type { ResponseParts } from './types.ts';

const { dialect: DIALECT } = OPERATIONS.createResponse;
const RETRY_MS = 500;
const RETRIES = 60;
const BROKEN_OFF = 'the model’s answer broke off';
const LOST = new GatewayError(
  'unavailable',
  'the gateway was stopped while the model answered; the model is not asked twice and nothing was charged: send the request again',
);

export interface BackgroundAnswererOptions {
  readonly parts: ResponseParts;
  readonly archive: Archive;
  readonly events: EventLog;
  /** The name under which this process has claimed what it works on. */
  readonly claimant: string;
}

/** What one answer has set aside: it was written down with the request, and is settled with the answer's end. */
interface Hold {
  /** A model is about to be asked. Throws when nobody may be. */
  readonly begin: () => Promise<void>;
  /** What its end is charged; undefined while nothing is. */
  bill: Charge | undefined;
}

interface Ending {
  readonly status: ResponseEnd['status'];
  readonly reply: JsonObject;
  /** Of the last event. */
  readonly number: number;
  /** For the conversation. */
  readonly items?: readonly JsonObject[];
  readonly bill: ResponseEnd['bill'];
}

/** How a model's stream ended: its last event's response, or the error that it broke off with. */
interface StreamOutcome {
  readonly response: JsonObject | undefined;
  readonly error: JsonObject | undefined;
}

/** Answers what its process has claimed. */
export class BackgroundAnswerer {
  private readonly parts: ResponseParts;
  private readonly archive: Archive;
  private readonly events: EventLog;
  private readonly claimant: string;
  private readonly chat: Chat;
  /** By the copy of the key with which an answer's model is asked. */
  private readonly holds = new WeakMap<KeyRecord, Hold>();

  constructor({ parts, archive, events, claimant }: BackgroundAnswererOptions) {
    this.parts = parts;
    this.archive = archive;
    this.events = events;
    this.claimant = claimant;
    const reserve: Spending['reserve'] = ({ key }) => this.reserve(key);
    const chat = guardedChat(createChat({ ...parts, spending: { reserve } }), parts);
    this.chat = readingCompactions(chat, parts.keeping.sealing);
  }

  /** Writes an end down, whatever happens; one that a model was asked for by another process has failed. Never rejects. */
  async work(record: ResponseRecord, signal: AbortSignal): Promise<void> {
    const { log } = this.parts;
    try {
      if (record.submitted) await this.fail(record, LOST);
      else await this.answer(record, signal);
    } catch (error) {
      log.warn({ err: error, response: record.id }, 'a response in the background failed');
      await this.fail(record, faultOf(error)).catch((again: unknown) =>
        log.error({ err: again, response: record.id }, 'the end of a response could not be written down'),
      );
    }
  }

  private async answer(record: ResponseRecord, signal: AbortSignal): Promise<void> {
    const hold: Hold = { bill: undefined, begin: () => this.markSubmitted(record, signal) };
    const { call, items } = await this.readAsked(record, hold, signal);
    let reply: ChatAnswer['reply'];
    try {
      ({ reply } = await this.chat.answer(call, newTrace()));
    } catch (error) {
      await this.fail(record, faultOf(error), billOf(hold));
      return;
    }
    if (reply.type === 'whole') throw new GatewayError('internal', 'a stream was answered whole');
    const writer = this.events.writer(record, await this.nextEvent(record));
    const { response, error } = await keepStream(reply, writer, record);
    const bill = billOf(hold);
    if (response === undefined) {
      const message = error?.['message'];
      const fault = new GatewayError('upstream_unavailable', typeof message === 'string' ? message : BROKEN_OFF);
      await this.fail(record, fault, bill);
      return;
    }
    const ended = keptResponses.shownAs(response, keptAs(record));
    const status = statusOf(ended);
    const added =
      status === 'failed' || record.conversationId === undefined ? [] : [...items, ...keptResponses.outputOf(ended)];
    await this.finish(record, { status, reply: ended, number: writer.next(), items: added, bill });
  }

  /** The call as the model is asked, and what the caller's own request adds to a conversation. */
  private async readAsked(
    record: ResponseRecord,
    hold: Hold,
    signal: AbortSignal,
  ): Promise<{ readonly call: ChatCall; readonly items: readonly JsonObject[] }> {
    const key = await this.parts.store.keys.get(record.keyId);
    if (key === undefined || isKeyOver(key, this.parts.now()))
      throw new GatewayError('forbidden', 'the key of the request was revoked or has expired');
    const { items, call } = this.archive.openAsked(record);
    if (call === undefined) throw new GatewayError('internal', 'the request was not kept');
    const boundKey = { ...key };
    this.holds.set(boundKey, hold);
    const asked: ChatCall = {
      caller: { key: boundKey, mode: record.mode, requestId: record.requestId, signal, ...call.labels },
      dialect: DIALECT,
      body: { json: call.body, bytes: Buffer.from(record.asked) },
      model: record.model,
      stream: true,
      headers: call.headers,
      endpoint: call.endpoint,
      ...(call.control !== undefined && { control: call.control }),
    };
    return { call: await callWithHistory(this.archive, asked, { store: true, ...keptAs(record) }), items };
  }

  private async markSubmitted(record: ResponseRecord, signal: AbortSignal): Promise<void> {
    const { store, step } = this.parts;
    const reply = this.archive.sealReply(record, { ...this.archive.openReply(record), status: 'in_progress' });
    if (signal.aborted || !(await store.responses.markSubmitted(record.id, this.claimant, reply)))
      throw new GatewayError('conflict', 'the response was cancelled');
    step?.('response.submitted');
    this.events.changed(record.id);
  }

  private async reserve(key: KeyRecord): Promise<Reservation> {
    const hold = this.holds.get(key);
    if (hold === undefined) throw new Error('an answer in the background has nothing set aside');
    await hold.begin();
    return {
      charge(charge) {
        hold.bill = charge;
        return { charged: charge.units };
      },
      checkpoint: () => undefined,
      cancel: () => undefined,
    };
  }

  /** An end without an answer of a model's. */
  private async fail(record: ResponseRecord, error: GatewayError, bill?: ResponseEnd['bill']): Promise<void> {
    const inner = dialects[DIALECT].encodeError(error, record.requestId, error.status())['error'] as JsonObject;
    const shown = { code: inner['code'] ?? error.code, message: error.message };
    const reply = { ...this.archive.openReply(record), status: 'failed', error: shown };
    await this.finish(record, { status: 'failed', reply, number: await this.nextEvent(record), bill });
  }

  private async nextEvent({ id }: ResponseRecord): Promise<number> {
    return (await this.parts.store.responses.lastEvent(id)) + 1;
  }

  /** Writes an end down, however long the database is away while the claim is held. */
  private async finish(record: ResponseRecord, end: Ending): Promise<void> {
    const { store, now, step } = this.parts;
    for (let attempt = 1; ; attempt++) {
      try {
        const how = await store.responses.finish(record.id, this.claimant, this.seal(record, end), now());
        if (how === 'cancelled') return await this.finish(record, await this.cancelledEnd(record, end));
        break;
      } catch (error) {
        if (attempt >= RETRIES) throw error;
        await pauseFor(this.parts, RETRY_MS);
      }
    }
    step?.('response.ended');
    this.events.changed(record.id);
    const { requestId, ownerId, mode } = record;
    const units = end.bill?.charged ?? 0;
    if (units > 0) this.parts.chargedLate?.({ requestId, ownerId, mode, units });
    await this.archive.written(record, 0);
  }

  private seal(record: ResponseRecord, { status, reply, number, items = [], bill }: Ending): ResponseEnd {
    return {
      status,
      reply: this.archive.sealReply(record, reply),
      items: this.archive.sealItems({ ...record, id: record.conversationId ?? '' }, items),
      event: this.archive.sealEvents(record, [keptResponses.endingEvent(reply, number)], number),
      ...(bill !== undefined && { bill }),
    };
  }

  /** What a model has said until then is paid for, and not shown. */
  private async cancelledEnd(record: ResponseRecord, { number, bill }: Ending): Promise<Ending> {
    const found = await this.parts.store.responses.find(record, record.id, 0);
    return { status: 'cancelled', reply: this.archive.openReply(found ?? record), number, bill };
  }
}

/** Writes down a model's events, but for the first and the last. */
async function keepStream(
  reply: ChatAnswer['reply'] & { readonly type: 'stream' },
  writer: EventWriter,
  record: ResponseRecord,
): Promise<StreamOutcome> {
  let ending: JsonObject | undefined;
  let error: JsonObject | undefined;
  const reader = createEventReader(
    (event) => {
      const response = keptResponses.responseIn(event);
      if (keptResponses.isEnding(event)) ending = response;
      else if (event['type'] === 'error') error = event;
      else if (event['type'] !== 'response.created')
        writer.add(
          response === undefined ? event : { ...event, response: keptResponses.shownAs(response, keptAs(record)) },
        );
    },
    () => undefined,
    { isFull: () => false, drained: () => Promise.resolve() },
  );
  await reply.pipe(reader);
  reader.end();
  await writer.flush();
  return { response: ending, error };
}

function keptAs({ id, previousId, conversationId }: ResponseRecord): KeptAs {
  return {
    id,
    background: true,
    ...(previousId !== undefined && { previousId }),
    ...(conversationId !== undefined && { conversationId }),
  };
}

function faultOf(error: unknown): GatewayError {
  return error instanceof GatewayError
    ? error
    : new GatewayError('internal', 'something went wrong in the gateway', { cause: error });
}

function billOf({ bill }: Hold): ResponseEnd['bill'] {
  if (bill === undefined) return undefined;
  const { units, accountId, priceVersion, detail, endpoint } = bill;
  return {
    charged: units,
    priceVersion,
    detail: { ...detail, endpoint },
    ...(accountId !== undefined && { accountId }),
  };
}
