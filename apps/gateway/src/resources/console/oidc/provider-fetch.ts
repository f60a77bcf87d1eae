/** How a provider is asked: answers of bounded size, and silence told from refusals. */

/** Documents, keys and tokens are some kilobytes. */
const MOST_BYTES = 1024 * 1024;
const FIRST_FAILURE = 500;

/** The provider did not answer, or said itself that it cannot. */
export class ProviderAway extends Error {}

/** `fetch` for openid-client, which follows no redirects. Throws ProviderAway. */
export async function boundedFetch(
  url: string,
  options: Omit<RequestInit, 'body'> & { readonly body?: unknown },
): Promise<Response> {
  let reply: Response;
  try {
    // oxlint-disable-next-line no-restricted-globals -- openid-client speaks through a function like it; a provider is no vendor
    reply = await fetch(url, options as RequestInit);
  } catch (error) {
    throw new ProviderAway(`${new URL(url).host} does not answer`, { cause: innermost(error) });
  }
  if (reply.status >= FIRST_FAILURE) {
    await reply.body?.cancel();
    throw new ProviderAway(`${new URL(url).host} answered with status ${reply.status}`);
  }
  return new Response(await readBounded(reply, url), { status: reply.status, headers: reply.headers });
}

async function readBounded(reply: Response, url: string): Promise<Uint8Array<ArrayBuffer> | null> {
  if (reply.body === null) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of reply.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MOST_BYTES) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new ProviderAway(`the answer of ${new URL(url).host} broke off`, { cause: innermost(error) });
  }
  if (size > MOST_BYTES)
    throw new ProviderAway(`the answer of ${new URL(url).host} is larger than ${MOST_BYTES} bytes`);
  return new Uint8Array(Buffer.concat(chunks));
}

/** `fetch failed` says less than what it failed of. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
