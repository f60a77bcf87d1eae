/** Batches in the forms of OpenAI, Anthropic and Google; what a line asks the app is asked in its key's name. */
import type { AskLine, Batches, BatchFiles, BatchForm, BatchFormat, UploadedFiles } from '@model-gateway/core';
import type { AppWithin } from '../../http/app-within.ts';
import type { Actor } from '../../http/exchange.ts';
import type { Handlers } from '../../http/operation.ts';
import { fileBatchRoutes, fileForm } from './file-batches.ts';
import { contentBatchRoutes, contentForm } from './content-batches.ts';
import { messageBatchRoutes, messageForm } from './message-batches.ts';

export const BATCH_FORMS: Readonly<Record<BatchFormat, BatchForm>> = {
  openai: fileForm,
  anthropic: messageForm,
  gemini: contentForm,
};

export interface BatchRouteParts {
  readonly batches: Batches;
  readonly files: UploadedFiles;
  readonly publicUrl: () => string;
}

export function batchRoutes({ batches, files, publicUrl }: BatchRouteParts): Handlers {
  const googles = contentBatchRoutes(batches);
  return { ...messageBatchRoutes(batches, publicUrl), ...googles, ...fileBatchRoutes({ batches, files, googles }) };
}

/** Where inputs are read from and results are put. */
export function batchFiles(files: UploadedFiles, { now, keepMs }: { now: () => number; keepMs: number }): BatchFiles {
  return {
    read: async (tenant, id) => files.open(await files.get(tenant, id)),
    async write(batch, name, body) {
      const { expiresAfter } = batch.detail;
      const expiresAt = now() + (typeof expiresAfter === 'number' ? expiresAfter * 1000 : keepMs);
      const facts = { filename: `${batch.id}_${name}.jsonl`, purpose: 'batch_output', mime: 'application/jsonl' };
      return (await files.create(batch, { body, facts: { ...facts, expiresAt } })).id;
    },
    async remove(batch, id) {
      await files.remove(batch, id);
    },
  };
}

/** Sends lines through the app. `within` is asked for when a line runs: the app is made after its handlers. */
export function askWithin(within: () => AppWithin): AskLine {
  return async ({ endpoint, headers, body, key, labels, spending, delivery, signal }) => {
    const actor: Actor = { key, labels, spending, delivery };
    const sent = { 'content-type': 'application/json', 'content-length': String(body.length), connection: 'close' };
    const reply = await within().ask(
      { method: 'POST', path: endpoint, headers: { ...headers, ...sent }, body, signal },
      { actor },
    );
    const chunks: Buffer[] = [];
    for await (const chunk of reply as AsyncIterable<Buffer>) chunks.push(chunk);
    const errorCode = actor.exchange?.errorCode;
    const retryAfterSeconds = Number(reply.headers['retry-after']);
    return {
      status: reply.statusCode ?? 500,
      requestId: String(reply.headers['x-request-id']),
      body: Buffer.concat(chunks),
      ...(errorCode !== undefined && { errorCode }),
      ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
    };
  };
}
