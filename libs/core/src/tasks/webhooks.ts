/** Signed webhooks for tasks that ended: Standard Webhooks headers, first retry within seconds, back-off up to a day, replayable. */
import { createHmac } from 'node:crypto';
import type { TaskWorkSpan, WebhookDelivery } from '../ports.ts';
import { discard } from './results.ts';
import type { TaskParts, TaskWebhooks } from './types.ts';
import { createWorkLoop, drain } from './work-loop.ts';

/** Pauses between attempts, seconds: about a day in all. */
const RETRY_SECONDS = [3, 15, 60, 300, 1800, 7200, 18_000, 28_800, 28_800] as const;
const ANSWER_SECONDS = 15;
/** Places of one process. */
const AT_ONCE = 64;
/** Of them, what one owner in one mode may have: slow receivers hold their own owner's places and nobody else's. */
const PER_TENANT = 8;
/** And what stays free for owners with nothing under way, however many others have slow receivers. */
const RESERVED = 16;
/** Longer than an attempt by this: what a process that dies had in hand is soon sent by another one. */
const LEASE_MARGIN_MS = 5_000;
const LONGEST_SLEEP_MS = 2_000;

export interface Webhooks extends TaskWebhooks {
  /** A delivery may have been written. */
  wake(): void;
  /** Deliveries under way. */
  running(): number;
  start(): void;
  stop(): Promise<void>;
}

/** Signs as the Standard Webhooks describe: HMAC-SHA256 of `id.timestamp.body` under the decoded secret. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const key = Buffer.from(text, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** Makes the deliveries of one process. */
export function createWebhooks(parts: TaskParts): Webhooks {
  const { store, now, log, meter, untrustedFetcher } = parts;
  const pauses = parts.settings.webhookRetrySeconds ?? RETRY_SECONDS;
  const answerMs = (parts.settings.webhookAnswerSeconds ?? ANSWER_SECONDS) * 1000;
  const running = new Set<Promise<void>>();
  /** How many are under way, by tenant. */
  const busy = new Map<string, number>();

  const deliver = async (delivery: WebhookDelivery): Promise<void> => {
    if (parts.tracing === undefined) return send(delivery, undefined);
    const { id, taskId, attempts } = delivery;
    const traceParent = (await store.tasks.get(taskId))?.traceParent;
    const attributes = { 'gateway.webhook.id': id, 'gateway.webhook.attempt': attempts + 1 };
    return parts.tracing.work({ name: 'webhook', taskId, traceParent, attributes }, (span) => send(delivery, span));
  };

  const send = async (delivery: WebhookDelivery, span: TaskWorkSpan | undefined): Promise<void> => {
    const outcome = await attempt(delivery);
    parts.step?.('webhook.sent');
    const at = now();
    const delivered = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300;
    span?.outcome(delivered ? 'delivered' : 'failed', !delivered);
    meter.count('gateway_webhook_attempts_total', { outcome: delivered ? 'delivered' : 'failed' });
    // 410 says that nobody is there any more (Standard Webhooks).
    const pause = outcome.final || outcome.status === 410 ? undefined : pauses[delivery.attempts];
    if (!delivered) {
      const { id, taskId, attempts } = delivery;
      log.warn({ id, task: taskId, attempt: attempts + 1, ...outcome }, 'a webhook was not delivered');
    }
    await store.webhooks.saveAttempt(delivery.id, {
      ...(delivered && { deliveredAt: at }),
      ...(!delivered && pause !== undefined && { nextAttemptAt: at + pause * 1000 }),
      ...(outcome.status !== undefined && { lastStatus: outcome.status }),
      ...(!delivered && { lastError: outcome.error ?? `the address answered ${outcome.status ?? 0}` }),
    });
  };

  const attempt = async ({ id, url, body, keyId }: WebhookDelivery): Promise<Outcome> => {
    const secret = (await store.keys.get(keyId))?.webhookSecret;
    if (secret === undefined) return { final: true, error: 'the key has no webhook secret any more' };
    const timestamp = Math.floor(now() / 1000);
    const traceparent = parts.tracing?.traceParent();
    try {
      const reply = await untrustedFetcher.open(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'model-gateway-webhooks',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatureOf(secret, id, timestamp, body),
          ...(traceparent !== undefined && { traceparent }),
        },
        body,
        // For the whole attempt, from the look-up of the name to the last header: a drip does not prolong it.
        signal: AbortSignal.timeout(answerMs),
        firstByteSeconds: answerMs / 1000,
        followRedirects: false,
      });
      // The answer's body says nothing we need, however long it is: not a byte of it is waited for.
      discard(reply.body);
      return { final: false, status: reply.status };
    } catch (error) {
      return { final: false, error: reasonOf(error) };
    }
  };

  /** Claims what is due while there is room; a receiver that is slow to answer holds a place of its owner only. */
  const pump = async (): Promise<number> => {
    let claimed = 0;
    while (!loop.isStopped() && running.size < AT_ONCE) {
      const free = AT_ONCE - running.size;
      const due = await store.webhooks.claimDue({
        now: now(),
        leaseUntil: now() + answerMs + LEASE_MARGIN_MS,
        limit: free,
        perTenant: PER_TENANT,
        busy,
        reserved: Math.min(free, RESERVED),
      });
      if (due.length === 0) return claimed;
      claimed += due.length;
      for (const delivery of due) {
        const { tenant } = delivery;
        busy.set(tenant, (busy.get(tenant) ?? 0) + 1);
        const done = deliver(delivery)
          .catch((error: unknown) => log.error({ id: delivery.id, error }, 'a webhook could not be kept'))
          .finally(() => {
            running.delete(done);
            const left = (busy.get(tenant) ?? 1) - 1;
            if (left === 0) busy.delete(tenant);
            else busy.set(tenant, left);
            loop.wake();
          });
        running.add(done);
      }
    }
    return claimed;
  };
  const loop = createWorkLoop(async () => {
    await pump().catch((error: unknown) => log.error({ error }, 'the due webhooks could not be claimed'));
    return LONGEST_SLEEP_MS;
  });

  return {
    runDue: () => drain(pump, running),
    async replay(id) {
      const delivery = await store.webhooks.replay(id, now());
      loop.wake();
      return delivery;
    },
    wake: () => loop.wake(),
    running: () => running.size,
    start: () => loop.start(),
    async stop() {
      await loop.stop();
      await Promise.all([...running]);
    },
  };
}

interface Outcome {
  /** No later attempt can succeed. */
  readonly final: boolean;
  readonly status?: number;
  readonly error?: string;
}

/** Why a receiver was not reached, without its addresses. */
function reasonOf(error: unknown): string {
  const code = wordOf(error, 'code');
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is unknown';
  if (code.includes('TIMEOUT') || wordOf(error, 'name') === 'TimeoutError') return 'no answer in time';
  return 'the address could not be reached, or is not a public one';
}

function wordOf(error: unknown, name: 'code' | 'name'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : '';
}
