import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import type { Caller, KeyRecord } from '@model-gateway/core';
import { Exchange } from './exchange.ts';
import { identify } from './request-identity.ts';
import { matchOperation } from './route-table.ts';

interface Given {
  readonly headers?: IncomingHttpHeaders;
  readonly body?: unknown;
  /** Tags of the key. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Tags of `x-gateway-tags`. */
  readonly said?: Readonly<Record<string, string>>;
  /** The name of the person whose session it is. */
  readonly person?: string;
  readonly known?: Caller['identity'];
}

function identityOf({ headers = {}, body, tags, said, person, known }: Given): Caller['identity'] {
  const match = matchOperation('POST', '/v1/chat/completions');
  const exchange = new Exchange({ requestId: 'req_1', startedAt: 0, address: undefined, match });
  const key = { id: 1, ...(tags !== undefined && { tags }) } as KeyRecord;
  const merged = tags ?? said;
  exchange.knownCaller = {
    ...{ key, mode: 'live', requestId: 'req_1', signal: new AbortController().signal },
    ...(merged !== undefined && { tags: { ...tags, ...said } }),
    ...(known !== undefined && { identity: known }),
  };
  if (person !== undefined) exchange.session = { record: { person: { name: person } } } as never;
  const before = exchange.knownCaller;
  identify({ headers }, exchange, body);
  if (exchange.knownCaller.identity === undefined) expect(exchange.knownCaller).toBe(before);
  return exchange.knownCaller.identity;
}

const PACKED = (account: string): string =>
  JSON.stringify({ device_id: 'd1', account_uuid: account, session_id: 's1' });
const LONG = 'x'.repeat(129);
const HASHED: unknown = expect.stringMatching(/^sha256:[0-9a-f]{32}$/);

it.each<[string, Given, Caller['identity']]>([
  ['of nobody', { body: { model: 'm', messages: [], user: '', metadata: { user_id: 7 } } }, undefined],
  ['of a body that is no object', { body: [{ user: 'a' }] }, undefined],
  ['by our headers', { headers: { 'x-gateway-user': 'jane', 'x-gateway-session': 's', 'x-gateway-run': 'r' } }, { user: 'jane', session: 's', run: 'r' }], // prettier-ignore
  ['of a session, which is the run', { headers: { 'x-gateway-session': ' s ' } }, { session: 's', run: 's' }],
  ['of a run alone', { headers: { 'x-gateway-run': 'r' } }, { run: 'r' }],
  ["of Claude Code's header before its body", { headers: { 'x-claude-code-session-id': 'h1' }, body: { metadata: { user_id: PACKED('a1') } } }, { user: 'a1', session: 'h1', run: 'h1' }], // prettier-ignore
  ['of Claude Code without an account', { body: { metadata: { user_id: PACKED('') } } }, { user: 'd1', session: 's1', run: 's1' }], // prettier-ignore
  ['of Claude Code before 2.1.78', { body: { metadata: { user_id: 'user_d2_account__session_s2' } } }, { user: 'd2', session: 's2', run: 's2' }], // prettier-ignore
  ['of its account before 2.1.78', { body: { metadata: { user_id: 'user_d2_account_a2_session_s2' } } }, { user: 'a2', session: 's2', run: 's2' }], // prettier-ignore
  ["of Anthropic's user", { body: { metadata: { user_id: 'u-42' } } }, { user: 'u-42' }],
  ['of a user that looks like JSON', { body: { metadata: { user_id: '{u' } } }, { user: '{u' }],
  ['of JSON that names nobody', { body: { metadata: { user_id: '{"a":1}' } } }, undefined],
  ['of Codex', { headers: { 'session-id': 'c1' }, body: { prompt_cache_key: 'c2' } }, { session: 'c1', run: 'c1' }],
  ['of Codex before', { headers: { session_id: 'c1', conversation_id: 'c0' } }, { session: 'c1', run: 'c1' }],
  ['by the key of a cache', { body: { prompt_cache_key: 'p' } }, { session: 'p', run: 'p' }],
  ['of a conversation before the key of a cache', { body: { conversation: { id: 'conv_1' }, prompt_cache_key: 'p' } }, { session: 'conv_1', run: 'conv_1' }], // prettier-ignore
  ['of metadata', { body: { metadata: { session_id: 'm1', user_id: 'u' } } }, { user: 'u', session: 'm1', run: 'm1' }],
  ["of OpenAI's user", { body: { user: 'old' } }, { user: 'old' }],
  ["of OpenAI's user by its new name", { body: { user: 'old', safety_identifier: 'new' } }, { user: 'new' }],
  ['by a tag of the request', { said: { user: 'tagged' }, body: { user: 'body' } }, { user: 'tagged' }],
  ["of the key's user, whatever the request says", { tags: { user: 'key' }, said: { user: 'tag' }, headers: { 'x-gateway-user': 'header' } }, { user: 'key' }], // prettier-ignore
  ['of who signed in', { person: 'jane@example.com', tags: { user: 'key' } }, { user: 'jane@example.com' }],
  ['of what is known already', { known: { user: 'jwt' }, headers: { 'x-gateway-user': 'header', 'x-gateway-session': 's' } }, { user: 'jwt', session: 's', run: 's' }], // prettier-ignore
  ['too long, by its hash', { headers: { 'x-gateway-user': LONG } }, { user: HASHED as string }],
  ['with control characters, by its hash', { body: { user: 'a\u0000b' } }, { user: HASHED as string }],
  ['with half a pair, by its hash', { body: { user: 'a\ud800' } }, { user: HASHED as string }],
  ['of other writing', { body: { user: '李雷 🙂' } }, { user: '李雷 🙂' }],
])('%s', (_, given, expected) => {
  expect(identityOf(given)).toEqual(expected);
});

it('is the same for the same text that is hashed', () => {
  expect(identityOf({ body: { user: LONG } })).toEqual(identityOf({ headers: { 'x-gateway-user': LONG } }));
  expect(identityOf({ body: { user: `${LONG}y` } })).not.toEqual(identityOf({ body: { user: LONG } }));
});
