/** A vendor's WebSocket. Loaded when the first is opened: most gateways have none. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/contracts';
import { WebSocket } from 'ws';
import type { UpstreamReply, UpstreamSocket } from './adapter.ts';
import { flatHeaders } from './media-url.ts';
import { parseVendorJson } from './json.ts';
import { transportError } from './refusal.ts';

/** Of one message: sound and pictures come as base64. */
const LARGEST_MESSAGE = 32 * 1024 * 1024;
const MOST_REFUSAL_BYTES = 256 * 1024;

export interface SocketAddress {
  /** `https://…` */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds until it must be open. */
  readonly seconds: number;
  readonly signal?: AbortSignal;
}

/** Opens a socket; messages wait until somebody listens. Resolves with the vendor's answer where it is another than a socket. Throws GatewayError when none came. */
export function openSocket({ url, headers, seconds, signal }: SocketAddress): Promise<UpstreamSocket | UpstreamReply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no' }));
      return;
    }
    const webSocket = new WebSocket(url.replace(/^http/, 'ws'), {
      ...{ headers, handshakeTimeout: seconds * 1000, maxPayload: LARGEST_MESSAGE },
      // Each compressing socket holds some 300 KB, and base64 of sound hardly shrinks.
      perMessageDeflate: false,
      followRedirects: false,
    });
    const cut = (): void => webSocket.terminate();
    signal?.addEventListener('abort', cut, { once: true });
    const settled = (): void => signal?.removeEventListener('abort', cut);
    webSocket.once('open', () => {
      settled();
      // Its first words may come before their reader.
      webSocket.pause();
      resolve(webSocket);
    });
    webSocket.once('unexpected-response', (_request, response: IncomingMessage) => {
      settled();
      readRefusal(response)
        .then(resolve, reject)
        .finally(() => webSocket.terminate());
    });
    webSocket.on('error', (error) => {
      settled();
      reject(
        /handshake has timed out/.test(error.message)
          ? new GatewayError('upstream_timeout', 'the vendor did not open the connection in time', { taken: 'no' })
          : transportError(error, 'before it was open'),
      );
    });
  });
}

/** Whether a vendor answered with a socket. */
export function isSocket(opened: UpstreamSocket | UpstreamReply): opened is UpstreamSocket {
  return !('status' in opened);
}

async function readRefusal(response: IncomingMessage): Promise<UpstreamReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MOST_REFUSAL_BYTES) break;
    }
  } catch {
    // Judged by what is there.
  }
  const body = Buffer.concat(chunks).subarray(0, MOST_REFUSAL_BYTES);
  const { statusCode: status = 502, headers } = response;
  return { status, headers: flatHeaders(headers), body, json: parseVendorJson(body.toString('utf8')) };
}
