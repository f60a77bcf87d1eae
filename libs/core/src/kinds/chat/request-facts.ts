/** What conditions of routes ask of a chat request, found out when one asks. */
import { hash } from 'node:crypto';
import { dialects, prefixText, type ChatRequest } from '@model-gateway/translate';
import type { RequestFacts, RequestInput } from '../../routing/condition.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { ChatCall } from './types.ts';

/** The facts of a call; `request` decodes it, and may throw for what only the caller's own dialect knows. */
export function factsOf(
  { caller, dialect, body, control }: Pick<ChatCall, 'caller' | 'dialect' | 'body' | 'control'>,
  request: () => ChatRequest,
  { at, region }: Pick<RequestFacts, 'at' | 'region'>,
): RequestFacts {
  // Each is found out once, whatever comes of it: many routes may ask.
  const known = once(() => decoded(request));
  return {
    key: caller.key.name,
    group: caller.key.group,
    region,
    at,
    tags: once(() => ({ ...tagsIn(known()), ...control?.tags })),
    inputTokens: once(() => estimateTokens(body.json)),
    inputs: once(() => inputsIn(known())),
    prefix: once(() => `${caller.key.id} ${hash('sha1', prefixText(dialects[dialect].prefix(body.json)))}`),
  };
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}

/** What cannot be decoded brings nothing that a route could go by; whoever is asked says what is wrong with it. */
function decoded(request: () => ChatRequest): ChatRequest | undefined {
  try {
    return request();
  } catch {
    return undefined;
  }
}

function tagsIn(request: ChatRequest | undefined): Record<string, string> {
  const entries = Object.entries(request?.metadata ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function inputsIn(request: ChatRequest | undefined): ReadonlySet<RequestInput> {
  const found = new Set<RequestInput>();
  if (request === undefined) return found;
  if (request.tools.length > 0) found.add('tools');
  for (const { parts } of request.turns) {
    for (const part of parts) {
      for (const { type } of part.type === 'tool-result' ? part.content : [part])
        if (type === 'image' || type === 'audio' || type === 'video' || type === 'document') found.add(type);
    }
  }
  return found;
}
