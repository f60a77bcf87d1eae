/** Bodies of vendors' replies, read to the end. */
import { GatewayError } from '@model-gateway/contracts';
import { transportError } from './refusal.ts';

/** All of a body. Throws `upstream_malformed` beyond `limit` bytes, and what a cut connection means. */
export async function wholeBody(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > limit)
        throw new GatewayError('upstream_malformed', 'the vendor’s reply is too large', { taken: 'unknown' });
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof GatewayError ? error : transportError(error, 'in the middle of its answer');
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}

/** A refusal is small; what is longer is none. */
export const LARGEST_REFUSAL = 256 * 1024;

/** The beginning of a body, as far as a refusal can be long. With `orLess`, what came before the connection was cut; else that is thrown. */
export async function refusalBody(
  body: AsyncIterable<Uint8Array>,
  { orLess = false }: { readonly orLess?: boolean } = {},
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= LARGEST_REFUSAL) break;
    }
  } catch (error) {
    if (!orLess) throw error;
  }
  return Buffer.concat(chunks).subarray(0, LARGEST_REFUSAL);
}
