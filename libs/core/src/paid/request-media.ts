/** Files behind addresses that one request names, fetched before any account is asked: a slow address holds up its own request only. */
import type { MediaRequest, Upstream } from '@model-gateway/provider-kit';
import type { Caller, Parts } from '../parts.ts';

export interface RequestMedia {
  /** As an upstream handle has it; every address is fetched once for the request. */
  readonly fetchMedia: Upstream['fetchMedia'];
  /** Fetches these, so that `fetchMedia` has them at hand. Throws what the first that fails throws. */
  ready(wanted: readonly MediaRequest[]): Promise<void>;
  /** The handle, with what was fetched at hand. */
  within(upstream: Upstream): Upstream;
}

/** Makes the files of one request. Many at once are fetched on behalf of one key only in turns. */
export function createRequestMedia(
  { untrustedFetcher }: Pick<Parts, 'untrustedFetcher'>,
  { key, signal }: Pick<Caller, 'key' | 'signal'>,
): RequestMedia {
  const fetching = new Map<string, ReturnType<Upstream['fetchMedia']>>();
  const fetchMedia: Upstream['fetchMedia'] = (url, limits) => {
    const { maxBytes, types } = limits;
    const name = JSON.stringify([url, maxBytes, types]);
    let file = fetching.get(name);
    if (file === undefined) fetching.set(name, (file = untrustedFetcher.fetch(url, limits, signal, `key ${key.id}`)));
    return file;
  };
  return {
    fetchMedia,
    async ready(wanted) {
      await Promise.all(wanted.map(({ url, ...limits }) => fetchMedia(url, limits)));
    },
    within: (upstream) => ({ ...upstream, fetchMedia }),
  };
}
