/**
 * Answers in the background (docs/architecture.md#responses): a row with its hold, claimed by one process at a time. A model is asked once: when the
 * process that asked is gone, the response has failed and costs nothing.
 */
import { randomUUID } from 'node:crypto';
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import { dialects, keptResponses, type KeptAs } from '@model-gateway/translate';
import { guardedChat } from '../guardrails/guarded-chat.ts';
import { createChat } from '../kinds/chat/chat-service.ts';
import type { ChatAnswer } from '../kinds/chat/types.ts';
import { newTrace } from '../paid/trace.ts';
import type { ResponseEnd, ResponseRecord, Tenant } from '../ports.ts';
import { createWorkLoop, drain } from '../tasks/work-loop.ts';
import type { Archive } from './archive.ts';
import type { EventLog } from './event-log.ts';
import { createEnqueue } from './enqueue.ts';
import { createHeldSpending, type Hold } from './held-spending.ts';
import { callWithHistory, statusOf, type Enqueue } from './kept-chat.ts';
import { createEventReader } from './kept-stream.ts';
import type { ResponseParts } from './types.ts';

const { dialect: DIALECT } = OPERATIONS.createResponse;
/** How long the answers of a dead process wait for another one; clocks of replicas may differ by less. */
const CLAIM_MS = 30_000;
const RENEW_MS = 5_000;
const LONGEST_PAUSE_MS = 2_000;
const AT_ONCE = 64;
/** Of one tenant, as a part of all. */
const SHARE = 4;
const LONGEST_STOP_MS = 10_000;
const RETRY_MS = 500;
const RETRIES = 60;

export interface Background {
  readonly enqueue: Enqueue;
  /** Ends an answer; a finished one stays as it is. Undefined where the tenant has none such. */
  cancel(tenant: Tenant, record: ResponseRecord): Promise<ResponseRecord | undefined>;
  /** Claims what is due and works until nothing is; tests. */
  workAll(): Promise<void>;
  /** Keeps what is worked on; runs by itself every five seconds. */
  renew(): Promise<void>;
  start(): void;
  /** Waits for what is under way, for ten seconds at most; what is not finished then has failed. */
  stop(): Promise<void>;
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

interface Run {
  readonly record: ResponseRecord;
  readonly controller: AbortController;
}

/** Makes the worker of one process. */
export function createBackground(parts: ResponseParts, archive: Archive, events: EventLog): Background {
  const { store, now, log } = parts;
  const by = `${parts.process} ${randomUUID()}`;
  const most = parts.atOnce ?? AT_ONCE;
  const held = createHeldSpending();
  const chat = guardedChat(createChat({ ...parts, spending: { ...parts.spending, reserve: held.reserve } }), parts);
  const runs = new Map<string, Run>();
  const running = new Set<Promise<void>>();
  let isStopping = false;

  /** Writes an end down, however long the database is away while the claim is held. */
  const finish = async (record: ResponseRecord, end: Ending): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const how = await store.responses.finish(record.id, by, sealed(record, end), now());
        if (how === 'cancelled') return await finish(record, await cancelledEnd(record, end));
        break;
      } catch (error) {
        if (attempt >= RETRIES) throw error;
        await pauseFor(parts, RETRY_MS);
      }
    }
    parts.step?.('response.ended');
    events.changed(record.id);
    await archive.written(record, 0);
  };

  const sealed = (record: ResponseRecord, { status, reply, number, items = [], bill }: Ending): ResponseEnd => ({
    status,
    reply: archive.sealReply(record, reply),
    items: archive.sealItems({ ...record, id: record.conversationId ?? '' }, items),
    event: archive.sealEvents(record, [keptResponses.endingEvent(reply, number)], number),
    ...(bill !== undefined && { bill }),
  });

  /** What a model has said until then is paid for, and not shown. */
  const cancelledEnd = async (record: ResponseRecord, { number, bill }: Ending): Promise<Ending> => {
    const found = await store.responses.find(record, record.id, 0);
    return { status: 'cancelled', reply: archive.openReply(found ?? record), number, bill };
  };

  /** An end without an answer of a model's. */
  const fail = async (record: ResponseRecord, error: GatewayError, bill?: ResponseEnd['bill']): Promise<void> => {
    const inner = dialects[DIALECT].encodeError(error, record.requestId, error.status())['error'] as JsonObject;
    const said = { code: inner['code'] ?? error.code, message: error.message };
    const reply = { ...archive.openReply(record), status: 'failed', error: said };
    await finish(record, { status: 'failed', reply, number: await nextEvent(record), bill });
  };
  const nextEvent = async ({ id }: ResponseRecord): Promise<number> => (await store.responses.lastEvent(id)) + 1;

  const keptAs = ({ id, previousId, conversationId }: ResponseRecord): KeptAs => ({
    id,
    background: true,
    ...(previousId !== undefined && { previousId }),
    ...(conversationId !== undefined && { conversationId }),
  });

  /** Asks, and writes down what comes. */
  const answer = async (record: ResponseRecord, { controller }: Run): Promise<void> => {
    const key = await store.keys.get(record.keyId);
    if (key === undefined || key.revokedAt !== undefined)
      throw new GatewayError('forbidden', 'the key that asked has been revoked');
    const { items, call } = archive.openAsked(record);
    if (call === undefined) throw new GatewayError('internal', 'the request was not kept');
    const queued = archive.openReply(record);
    const shown = (response: JsonObject): JsonObject => keptResponses.shownAs(response, keptAs(record));
    const hold: Hold = {
      bill: undefined,
      begin: async () => {
        const reply = archive.sealReply(record, { ...queued, status: 'in_progress' });
        if (controller.signal.aborted || !(await store.responses.markSubmitted(record.id, by, reply)))
          throw new GatewayError('conflict', 'the response was cancelled');
        parts.step?.('response.submitted');
        events.changed(record.id);
      },
    };
    const whole = await callWithHistory(
      archive,
      {
        caller: {
          key: held.bind(key, hold),
          mode: record.mode,
          requestId: record.requestId,
          signal: controller.signal,
        },
        dialect: DIALECT,
        body: { json: call.body, bytes: Buffer.from(record.asked) },
        model: record.model,
        stream: true,
        headers: call.headers,
        endpoint: call.endpoint,
        ...(call.control !== undefined && { control: call.control }),
      },
      { store: true, ...keptAs(record) },
    );
    let reply: ChatAnswer['reply'];
    try {
      ({ reply } = await chat.answer(whole, newTrace()));
    } catch (error) {
      await fail(record, faultOf(error), billOf(hold));
      return;
    }
    if (reply.type === 'whole') throw new GatewayError('internal', 'a stream was answered whole');
    const writer = events.writer(record, await nextEvent(record));
    let last: JsonObject | undefined;
    let broken: JsonObject | undefined;
    const reader = createEventReader(
      (event) => {
        const response = keptResponses.responseIn(event);
        if (keptResponses.isEnding(event)) last = response;
        else if (event['type'] === 'error') broken = event;
        else if (event['type'] !== 'response.created')
          writer.add(response === undefined ? event : { ...event, response: shown(response) });
      },
      () => undefined,
      { isFull: () => false, drained: () => Promise.resolve() },
    );
    await reply.pipe(reader);
    reader.end();
    await writer.flush();
    const bill = billOf(hold);
    if (last === undefined) {
      const message = broken?.['message'];
      const error = new GatewayError('upstream_unavailable', typeof message === 'string' ? message : WHY_CUT);
      await fail(record, error, bill);
      return;
    }
    const ended = shown(last);
    const status = statusOf(ended);
    const added =
      status === 'failed' || record.conversationId === undefined ? [] : [...items, ...keptResponses.outputOf(ended)];
    await finish(record, { status, reply: ended, number: writer.next(), items: added, bill });
  };

  const work = async (record: ResponseRecord): Promise<void> => {
    const run: Run = { record, controller: new AbortController() };
    runs.set(record.id, run);
    try {
      if (record.submitted) await fail(record, LOST);
      else await answer(record, run);
    } catch (error) {
      log.warn({ err: error, response: record.id }, 'a response in the background failed');
      await fail(record, faultOf(error)).catch((again: unknown) =>
        log.error({ err: again, response: record.id }, 'the end of a response could not be written down'),
      );
    } finally {
      runs.delete(record.id);
    }
  };

  const look = async (): Promise<number> => {
    const room = most - runs.size;
    if (room <= 0 || isStopping) return 0;
    const found = await store.responses.claimDue({
      by,
      now: now(),
      until: now() + CLAIM_MS,
      limit: room,
      except: crowded([...runs.values()], most / SHARE),
    });
    for (const record of found) {
      // After a jump of the clock it may be this process's own.
      if (runs.has(record.id)) continue;
      const done = work(record).finally(() => {
        running.delete(done);
        loop.wake();
      });
      running.add(done);
    }
    return found.length;
  };

  const renew = async (): Promise<void> => {
    const ids = [...runs.keys()];
    if (ids.length === 0) return;
    const claims = new Map(
      (await store.responses.renewClaims(ids, by, now() + CLAIM_MS)).map((each) => [each.id, each]),
    );
    for (const id of ids) if (claims.get(id)?.cancelRequested !== false) runs.get(id)?.controller.abort();
  };

  const loop = createWorkLoop(async () => {
    try {
      await look();
      const due = await store.responses.nextDue();
      return Math.min(LONGEST_PAUSE_MS, Math.max(50, (due ?? Infinity) - now()));
    } catch (error) {
      log.warn({ err: error }, 'responses in the background could not be looked at');
      return LONGEST_PAUSE_MS;
    }
  });
  let timer: NodeJS.Timeout | undefined;

  return {
    enqueue: createEnqueue({ parts, archive, events, queued: () => loop.wake() }),
    async cancel(tenant, record) {
      const reply = { ...archive.openReply(record), status: 'cancelled' };
      const number = await nextEvent(record);
      const event = archive.sealEvents(record, [keptResponses.endingEvent(reply, number)], number);
      const changed = await store.responses.cancel(
        tenant,
        record.id,
        { reply: archive.sealReply(record, reply), event },
        now(),
      );
      runs.get(record.id)?.controller.abort();
      events.changed(record.id);
      return changed;
    },
    async workAll() {
      await drain(look, running);
    },
    renew,
    start() {
      timer = setInterval(() => {
        renew().catch((error: unknown) => log.warn({ err: error }, 'claims of responses could not be renewed'));
      }, RENEW_MS);
      timer.unref();
      loop.start();
    },
    async stop() {
      isStopping = true;
      await loop.stop();
      const until = performance.now() + LONGEST_STOP_MS;
      while (running.size > 0 && performance.now() < until)
        await Promise.race([Promise.all([...running]), pauseFor(parts, 100)]);
      for (const { controller } of runs.values()) controller.abort();
      await Promise.race([Promise.all([...running]), pauseFor(parts, 1_000)]);
      clearInterval(timer);
    },
  };
}

const WHY_CUT = 'the model’s answer broke off';
const LOST = new GatewayError(
  'unavailable',
  'the gateway was stopped while the model answered; the model is not asked twice and nothing was charged: send the request again',
);

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

/** Tenants with so many under way. */
function crowded(runs: readonly Run[], most: number): readonly Tenant[] {
  const counts = Map.groupBy(runs, ({ record }) => `${record.ownerId} ${record.mode}`);
  return [...counts.values()].flatMap((each) => (each.length >= most && each[0] !== undefined ? [each[0].record] : []));
}

/** A pause that does not keep the process. */
function pauseFor({ pause }: ResponseParts, ms: number): Promise<void> {
  return (
    pause?.(ms) ??
    new Promise((resolve) => {
      setTimeout(resolve, ms).unref();
    })
  );
}
