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
