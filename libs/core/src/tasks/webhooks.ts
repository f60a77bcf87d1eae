/** Signed webhooks for tasks that ended: Standard Webhooks headers, first retry within seconds, back-off up to a day, replayable. */
import { createHmac } from 'node:crypto';
import type { TaskWorkSpan, WebhookDelivery } from '../ports.ts';
import { discard } from './results.ts';
import type { TaskParts, TaskWebhooks } from './types.ts';
import { createWorkLoop, drain, type WorkLoop } from './work-loop.ts';

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

/** Signs as the Standard Webhooks describe: HMAC-SHA256 of `id.timestamp.body` under the decoded secret. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const key = Buffer.from(text, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** The deliveries of one process. */
export class Webhooks implements TaskWebhooks {
  private readonly parts: TaskParts;
  private readonly retrySeconds: readonly number[];
  private readonly answerMs: number;
  private readonly loop: WorkLoop;
  private readonly deliveries = new Set<Promise<void>>();
  /** How many are under way, by tenant. */
  private readonly busy = new Map<string, number>();

  constructor(parts: TaskParts) {
    this.parts = parts;
    this.retrySeconds = parts.settings.webhookRetrySeconds ?? RETRY_SECONDS;
    this.answerMs = (parts.settings.webhookAnswerSeconds ?? ANSWER_SECONDS) * 1000;
    this.loop = createWorkLoop(async () => {
      await this.claimDue().catch((error: unknown) =>
        parts.log.error({ error }, 'the due webhooks could not be claimed'),
      );
      return LONGEST_SLEEP_MS;
    });
  }

  runDue(): Promise<number> {
    return drain(() => this.claimDue(), this.deliveries);
  }

  async replay(id: string): Promise<WebhookDelivery | undefined> {
    const delivery = await this.parts.store.webhooks.replay(id, this.parts.now());
    this.loop.wake();
    return delivery;
  }

  /** A delivery may have been written. */
  wake(): void {
    this.loop.wake();
  }

  /** How many deliveries are under way. */
  running(): number {
    return this.deliveries.size;
  }

  start(): void {
    this.loop.start();
  }

  /** Resolves when the deliveries under way have ended. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.deliveries);
  }

  /** Claims what is due while there is room; a receiver that is slow to answer holds a place of its owner only. */
  private async claimDue(): Promise<number> {
    const { store, now } = this.parts;
    let claimed = 0;
    while (!this.loop.isStopped() && this.deliveries.size < AT_ONCE) {
      const free = AT_ONCE - this.deliveries.size;
      const due = await store.webhooks.claimDue({
        now: now(),
        leaseUntil: now() + this.answerMs + LEASE_MARGIN_MS,
        limit: free,
        perTenant: PER_TENANT,
        busy: this.busy,
        reserved: Math.min(free, RESERVED),
      });
      if (due.length === 0) return claimed;
      claimed += due.length;
      for (const delivery of due) this.launch(delivery);
    }
    return claimed;
  }

  private launch(delivery: WebhookDelivery): void {
    const { tenant } = delivery;
    this.busy.set(tenant, (this.busy.get(tenant) ?? 0) + 1);
    const done = this.deliver(delivery)
      .catch((error: unknown) => this.parts.log.error({ id: delivery.id, error }, 'a webhook could not be kept'))
      .finally(() => {
        this.deliveries.delete(done);
        const left = (this.busy.get(tenant) ?? 1) - 1;
        if (left === 0) this.busy.delete(tenant);
        else this.busy.set(tenant, left);
        this.loop.wake();
      });
    this.deliveries.add(done);
  }

  private async deliver(delivery: WebhookDelivery): Promise<void> {
    const { tracing, store } = this.parts;
    if (tracing === undefined) return this.send(delivery, undefined);
    const { id, taskId, attempts } = delivery;
    const traceParent = (await store.tasks.get(taskId))?.traceParent;
    const attributes = { 'gateway.webhook.id': id, 'gateway.webhook.attempt': attempts + 1 };
    return tracing.work({ name: 'webhook', taskId, traceParent, attributes }, (span) => this.send(delivery, span));
  }

  private async send(delivery: WebhookDelivery, span: TaskWorkSpan | undefined): Promise<void> {
    const { store, now, log, meter, step } = this.parts;
    const outcome = await this.attempt(delivery);
    step?.('webhook.sent');
    const at = now();
    const isDelivered = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300;
    span?.outcome(isDelivered ? 'delivered' : 'failed', !isDelivered);
    meter.count('gateway_webhook_attempts_total', { outcome: isDelivered ? 'delivered' : 'failed' });
    // 410 says that nobody is there any more (Standard Webhooks).
    const isLast = outcome.isFinal || outcome.status === 410;
    const pause = isLast ? undefined : this.retrySeconds[delivery.attempts];
    const { status, error } = outcome;
    if (!isDelivered) {
      const { id, taskId, attempts } = delivery;
      const fields = { id, task: taskId, attempt: attempts + 1, final: outcome.isFinal };
      log.warn(
        { ...fields, ...(status !== undefined && { status }), ...(error !== undefined && { error }) },
        'a webhook was not delivered',
      );
    }
    await store.webhooks.saveAttempt(delivery.id, {
      ...(isDelivered && { deliveredAt: at }),
      ...(!isDelivered && pause !== undefined && { nextAttemptAt: at + pause * 1000 }),
      ...(status !== undefined && { lastStatus: status }),
      ...(!isDelivered && { lastError: error ?? `the address answered ${status ?? 0}` }),
    });
  }

  private async attempt({ id, url, body, keyId }: WebhookDelivery): Promise<Outcome> {
    const { store, now, tracing, untrustedFetcher } = this.parts;
    const { answerMs } = this;
    const secret = (await store.keys.get(keyId))?.webhookSecret;
    if (secret === undefined) return { isFinal: true, error: 'the key has no webhook secret any more' };
    const timestamp = Math.floor(now() / 1000);
    const traceparent = tracing?.traceParent();
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
      return { isFinal: false, status: reply.status };
    } catch (error) {
      return { isFinal: false, error: unreachedReason(error) };
    }
  }
}

interface Outcome {
  /** No later attempt can succeed. */
  readonly isFinal: boolean;
  readonly status?: number;
  readonly error?: string;
}

/** Why a receiver was not reached, without its addresses. */
export function unreachedReason(error: unknown): string {
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
