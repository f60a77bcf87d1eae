/** How engine tests print what is kept of a task: enough to see which task it was, and in which state. Not part of the product. */
import type { TaskRecord } from '../../ports.ts';
import type { AnswerPrinter, CreateOptions, EndedTask } from '../types.ts';

/** The answer to a creation. */
export function printed({ id, model }: Pick<TaskRecord, 'id' | 'model'>): string {
  return JSON.stringify({ id, model, status: 'queued' });
}

const print: AnswerPrinter = {
  created: (task, dropped) => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'x-gateway-dropped': dropped.join(', ') },
    body: Buffer.from(printed(task)),
  }),
  refused: (error) => ({
    status: error.status(),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ code: error.code, message: error.message })),
  }),
};

/** An Idempotency-Key that was used for this. */
export function once(key: string, fingerprint: string): NonNullable<CreateOptions['idempotency']> {
  return { key, fingerprint, print };
}

/** The body of a webhook. */
export function webhookBody({ task: { id, state, quota, failReason }, resultUrl, at }: EndedTask): string {
  return JSON.stringify({ id, state, quota, failReason, resultUrl, at });
}

/** Where signed links lead. */
export function addressOf(kind: string, id: string): string {
  return `https://gateway.example/${kind}/${id}`;
}
