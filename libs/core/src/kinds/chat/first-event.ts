/** What comes of a vendor's stream before a status is sent: a 200 can still be a refusal. */
import type { Readable } from 'node:stream';
import { GatewayError } from '@model-gateway/contracts';
import { transportError } from '@model-gateway/provider-kit';
import { createSseParser, type ChatDialect } from '@model-gateway/translate';

/** A first event larger than this is no refusal. */
const LARGEST_FIRST_EVENT = 256 * 1024;

/** Reads until the first event is whole, so that a refusal inside a 200 can still go elsewhere. */
export async function readFirst(raw: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const done = (): void => {
      raw.off('data', onData).off('end', done).off('error', onError);
      resolve(chunks);
    };
    const onError = (error: Error): void => {
      raw.off('data', onData).off('end', done);
      reject(transportError(error, 'before its first event'));
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < LARGEST_FIRST_EVENT && !endsEvent(chunk) && !endsEvent(Buffer.concat(chunks))) return;
      raw.pause();
      done();
    };
    raw.on('data', onData).on('end', done).on('error', onError);
  });
}

const LARGEST_WHOLE_REPLY = 96 * 1024 * 1024;

/** What comes behind `readFirst`, to the end; throws when it is cut or too much. */
export async function readRest(raw: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (raw.readableEnded) return chunks;
  try {
    for await (const chunk of raw as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > LARGEST_WHOLE_REPLY) throw new GatewayError('upstream_malformed', 'the vendor’s answer is too large');
    }
  } catch (error) {
    throw transportError(error, 'in the middle of its answer');
  }
  return chunks;
}

function endsEvent(bytes: Buffer): boolean {
  return bytes.includes('\n\n') || bytes.includes('\r\n\r\n');
}

/** The refusal that the first event carries, if it is one. */
export function refusalIn(first: readonly Buffer[], dialect: ChatDialect): GatewayError | undefined {
  const parser = createSseParser();
  for (const chunk of first) {
    const [event] = parser.push(chunk);
    if (event !== undefined) return dialect.refusalIn(event);
  }
  return undefined;
}
