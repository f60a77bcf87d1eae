/** Webhooks of vendors. Their bodies are only checked against the vendor's signature: what they say is never read. */
import type { IncomingMessage } from 'node:http';
import { GatewayError, OPERATIONS } from '@model-gateway/contracts';
import type { TaskEngine } from '@model-gateway/core';
import { flatHeaders } from '@model-gateway/provider-kit';
import { operation, type Handlers } from '../../http/operation.ts';

const LARGEST_BODY = 1024 * 1024;

/** The handler of the addresses that vendors are given. */
export function vendorWebhookRoutes({ tasks }: { readonly tasks: Pick<TaskEngine, 'receiveVendorWebhook'> }): Handlers {
  return {
    receiveVendorWebhook: operation<'receiveVendorWebhook'>(async ({ request }) => {
      const webhook = { headers: flatHeaders(request.headers), body: await bytesOf(request) };
      const due = await tasks.receiveVendorWebhook(String(request.params['task_id']), webhook);
      return { status: 200, body: { due } };
    }),
  };
}

/** Whether an address is one that this gateway gives to vendors. */
export function isVendorWebhook(url: string, publicUrl: string): boolean {
  return url.startsWith(publicUrl + OPERATIONS.receiveVendorWebhook.path.replace('{task_id}', ''));
}

async function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(): GatewayError {
  return new GatewayError('body_too_large', `a vendor's webhook can have ${LARGEST_BODY / 1024 / 1024} MB at most`);
}
