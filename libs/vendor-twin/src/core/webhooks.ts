/** Webhooks that vendors send: when a job changes, signed as the vendor signs, and again while nobody answers with 2xx. */
import { request as requestPlainly } from 'node:http';
import { request as requestSafely } from 'node:https';
import type { JsonObject } from '@model-gateway/contracts';
import type { Job, JobRegistry } from './jobs.ts';

/** What a vendor was asked to tell of a job. */
export interface WebhookOrder {
  readonly url: string;
  /** `begun`: it is told when the vendor begins, too. */
  readonly at?: readonly ('begun' | 'ended')[];
  /** What it says when it is sent. */
  readonly body: () => JsonObject;
  /** Headers of the vendor's signature, made anew for every attempt. */
  readonly sign?: (body: string, now: number) => Readonly<Record<string, string>>;
}

export interface WebhookOptions {
  /** Which addresses are called; absent: all. */
  readonly mayCall?: (url: string) => boolean;
  /** Whether they are sent by themselves, by the wall clock; otherwise `sendWebhooks` of the twin sends them. */
  readonly timers?: boolean;
}

/** One webhook that was sent, and its answer. */
export interface SentWebhook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** 0: nobody answered. */
  readonly status: number;
}

interface Pending {
  readonly job: Job;
  readonly order: WebhookOrder;
  readonly due: () => number;
  attempts: number;
}

const MOST_ATTEMPTS = 3;
const ANSWER_MS = 5_000;
const SHORTEST_WAIT_MS = 200;

export class TwinWebhooks {
  readonly #parts: { readonly jobs: JobRegistry; readonly now: () => number } & WebhookOptions;
  #pending: Pending[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: { readonly jobs: JobRegistry; readonly now: () => number } & WebhookOptions) {
    this.#parts = parts;
  }

  add(job: Job, order: WebhookOrder): void {
    const { jobs, mayCall = () => true } = this.#parts;
    if (!mayCall(order.url)) return;
    for (const at of order.at ?? ['ended']) {
      const due = (): number => (at === 'begun' ? jobs.startedAt(job) : jobs.endedAt(job));
      this.#pending.push({ job, order, due, attempts: 0 });
    }
    this.#plan();
  }

  /** Sends what is due, and waits for the answers. */
  async send(): Promise<readonly SentWebhook[]> {
    const now = this.#parts.now();
    const due = this.#pending.filter((each) => each.due() <= now && this.#happens(each.job));
    this.#pending = this.#pending.filter((each) => !due.includes(each));
    const sent = await Promise.all(due.map((each) => this.#attempt(each, now)));
    this.#plan();
    return sent;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** A job that never ends tells nothing. */
  #happens(job: Job): boolean {
    return job.fate !== 'never' || job.cancelledAt !== undefined;
  }

  async #attempt(pending: Pending, now: number): Promise<SentWebhook> {
    const { order } = pending;
    const body = JSON.stringify(order.body());
    const headers = { 'content-type': 'application/json', ...order.sign?.(body, now) };
    const status = await post(order.url, headers, body);
    pending.attempts += 1;
    if ((status < 200 || status > 299) && pending.attempts < MOST_ATTEMPTS) this.#pending.push(pending);
    return { url: order.url, headers, body, status };
  }

  #plan(): void {
    if (this.#parts.timers !== true || this.#isClosed) return;
    clearTimeout(this.#timer);
    if (this.#pending.length === 0) return;
    const next = Math.min(...this.#pending.map(({ due }) => due()));
    const wait = Math.max(SHORTEST_WAIT_MS, next - this.#parts.now());
    this.#timer = setTimeout(() => void this.send(), wait).unref();
  }
}

/** The status of the answer; 0 where there is none. */
function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  return new Promise((resolve) => {
    const request = url.startsWith('https:') ? requestSafely : requestPlainly;
    const asking = request(url, { method: 'POST', headers, agent: false, timeout: ANSWER_MS }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(0));
    asking.end(body);
  });
}
