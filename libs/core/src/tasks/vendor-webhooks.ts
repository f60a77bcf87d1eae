/**
 * Webhooks of vendors (docs/guides/job-vendors.md#webhooks): hints that a task has news. Nothing that they say is believed, and without them the
 * tasks are polled all the same.
 */
import { GatewayError, isJsonObject, type Json } from '@model-gateway/contracts';
import type { VendorWebhook, WebhookReader } from '@model-gateway/provider-kit';
import type { TaskRecord } from '../ports.ts';
import type { TaskParts } from './types.ts';
import { OPEN_STATES } from './video-task.ts';

/** Between two questions about one task, however many webhooks come. */
export const REST_MS = 1_000;
/** A webhook that was signed longer ago, or longer in the future, is none of this job's. */
const TOLERANCE_MS = 5 * 60_000;
/** Longer than a job takes; what comes later finds its task ended. */
const ADDRESS_SECONDS = 7 * 86_400;
/** For the vendor's keys, where they are not known yet. */
const KEYS_MS = 10_000;

/** Where the vendor may tell of the task; undefined where the operator has not allowed it. Every process makes and checks the same addresses. */
export function webhookUrlOf({ settings, links, now }: TaskParts, taskId: string): string | undefined {
  if (settings.vendorWebhooks !== true) return undefined;
  return links.link('webhook', taskId, Math.floor(now() / 1000) + ADDRESS_SECONDS);
}

/** A text of a vendor without the address that it was given for the task: whoever has the address can have the vendor asked. */
export function withoutWebhookUrl(text: string, taskId: string): string {
  if (!text.includes(taskId)) return text;
  // However its marks are escaped, it is one word, with the task and the signature in it.
  return text.replace(/[^\s"'<>]+/g, (word) =>
    word.includes(taskId) && word.includes('signature') ? '[hidden]' : word,
  );
}

/** The same of all texts in a payload. */
export function payloadWithoutWebhookUrl<Payload extends Json>(payload: Payload, taskId: string): Payload {
  const clean = (value: Json): Json => {
    if (typeof value === 'string') return withoutWebhookUrl(value, taskId);
    if (Array.isArray(value)) return value.map(clean);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clean(each)]));
  };
  return clean(payload) as Payload;
}

/** The same of a refusal. */
export function errorWithoutWebhookUrl(error: unknown, taskId: string): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { vendorWords, vendorBody, ...details } = error.details;
  return new GatewayError(error.code, withoutWebhookUrl(error.message, taskId), {
    ...details,
    ...(vendorWords !== undefined && { vendorWords: withoutWebhookUrl(vendorWords, taskId) }),
    ...(vendorBody !== undefined && { vendorBody: payloadWithoutWebhookUrl(vendorBody, taskId) }),
  });
}

/** Takes the webhooks of one process; the row of the task decides what comes of each. */
export class VendorWebhooks {
  private readonly parts: TaskParts;
  private readonly due: (at: number) => void;

  /** `due` is told when a task has become due. */
  constructor(parts: TaskParts, due: (at: number) => void) {
    this.parts = parts;
    this.due = due;
  }

  /** The address of the webhook was verified. True when the vendor is asked about the task, false when the task has ended. */
  async receive(id: string, webhook: VendorWebhook): Promise<boolean> {
    const { store, now, settings, log } = this.parts;
    if (settings.vendorWebhooks !== true) throw noWebhooks('this gateway takes no webhooks of vendors');
    const task = await store.tasks.get(id);
    if (task?.kind !== 'video') throw noWebhooks('there is no task with this id');
    const at = await this.signedAt(task, webhook);
    if (Math.abs(now() - at) > TOLERANCE_MS) {
      throw new GatewayError('unauthenticated', 'the webhook was signed too long ago, or the clocks differ by minutes');
    }
    if (task.ticket === undefined && OPEN_STATES.includes(task.state)) {
      throw new GatewayError('conflict', 'the gateway does not know the job yet; send the webhook again in a moment');
    }
    const due = await store.tasks.noteVendorWebhook(id, { at, restMs: REST_MS }, now());
    if (due === 'repeated') throw new GatewayError('conflict', 'the webhook repeats one that was taken');
    log.info({ task: id, vendor: task.vendor, due: due !== 'ended' }, 'a vendor told of a task');
    if (due === 'ended') return false;
    this.due(due);
    return true;
  }

  /** Without a signature the time is ours, in whole seconds: one webhook a second is taken. */
  private async signedAt({ accountId, upstreamModel }: TaskRecord, webhook: VendorWebhook): Promise<number> {
    const { catalogue, openAccount, now } = this.parts;
    const account = catalogue().accounts.find((one) => one.id === accountId && one.on);
    if (account === undefined) throw noWebhooks('the account of the task is not configured');
    const { adapter, upstream } = openAccount(account, upstreamModel, AbortSignal.timeout(KEYS_MS));
    const reader: WebhookReader | undefined = adapter.videos?.webhooks;
    if (reader === undefined) throw noWebhooks('the vendor of the task is given no address');
    return (await reader.signedAt(webhook, upstream)) ?? Math.floor(now() / 1000) * 1000;
  }
}

function noWebhooks(why: string): GatewayError {
  return new GatewayError('not_found', why);
}
