/** Somebody in an office tries keys, and opens the address at which sign-in ends, while others behind the same address come with keys of their own. */
import { createServer } from 'node:http';
import { ADMIN_KEY, ask, startWatched } from '../exhaustion/gateway.mjs';

const AT_ONCE = 32;
const GUESSES = { whole: 4_000, short: 1_500 };
const PICTURES = 320;
const COLLEAGUES = 20;
/** Answers of one minute before the address is told to stop, and some of the next. */
const MOST_WRONG = 700;
const CALLBACK = `/console/oidc/callback?code=x&state=${'A'.repeat(43)}`;

export async function lockOut({ short }) {
  const colleagues = Array.from({ length: COLLEAGUES }, (_, at) => `sk-attack-colleague-${at}-0123456789abcdef`);
  const provider = await startProvider();
  const gateway = await startWatched({
    keys: colleagues.map((key, at) => `  - { name: colleague-${at}, key: ${key}, owner: ${20 + at} }`).join('\n'),
    lines: `console:
  oidc: { issuer: '${provider.issuer}', client_id: attack, roles: { claim: groups, owner: [owners] }, owner_claim: team }`,
  });
  try {
    const guesses = short ? GUESSES.short : GUESSES.whole;
    const heard = { wrong: 0, stopped: 0, other: 0 };
    const refused = { keys: 0, admin: 0, sessions: 0, signIns: 0 };
    const guess = async (at) => {
      const { status } = await ask(gateway.url, '/v1/models', {
        key: `sk-wrong-${at}-0123456789abcdef`,
        method: 'GET',
      });
      heard[status === 401 ? 'wrong' : status === 429 ? 'stopped' : 'other']++;
    };
    const { cpu: begun } = await gateway.look();
    for (let at = 0; at < guesses; at += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => guess(at + index)));
    const { cpu: ended } = await gateway.look();
    await openPictures(gateway.url);
    // More wrong ones beside each of the right ones, none of which the process has seen.
    for (const [at, key] of colleagues.entries()) {
      const [own] = await Promise.all([
        ask(gateway.url, '/v1/models', { key, method: 'GET' }),
        ...Array.from({ length: AT_ONCE }, (_, index) => guess(guesses + at * AT_ONCE + index)),
      ]);
      if (own.status !== 200) refused.keys++;
    }
    if ((await ask(gateway.url, '/admin/audit', { key: ADMIN_KEY, method: 'GET' })).status !== 200) refused.admin++;
    for (const key of [colleagues[0], ADMIN_KEY]) if (!(await opensSession(gateway.url, key))) refused.sessions++;
    if ((await signIn(gateway.url)) === 'too_many') refused.signIns++;
    const cpuMs = (ended.user + ended.system - begun.user - begun.system) / 1000;
    const faults = Object.entries(refused).flatMap(([what, count]) =>
      count === 0 ? [] : [`${count} of the right ${what} were refused`],
    );
    if (heard.wrong > MOST_WRONG) faults.push(`${heard.wrong} wrong keys were not told to stop`);
    if (heard.other > 0) faults.push(`${heard.other} wrong keys were answered otherwise`);
    return {
      measured: `${guesses} wrong keys (${heard.stopped} told to stop, ${(cpuMs / guesses).toFixed(2)} ms of CPU each), ${PICTURES} pictures of the address of sign-in; refused: ${refused.keys} of ${COLLEAGUES} right keys, ${refused.admin} of 1 admin keys, ${refused.sessions} of 2 sessions, ${refused.signIns} of 1 sign-ins`,
      faults,
    };
  } finally {
    await gateway.stop();
    await provider.stop();
  }
}

/** What `<img src=…>` on a page of somebody else makes the browsers of the office do: no cookie goes along. */
async function openPictures(url) {
  for (let at = 0; at < PICTURES; at++) {
    const reply = await fetch(url + CALLBACK, { redirect: 'manual' });
    await reply.arrayBuffer();
  }
}

/** Whether a session can be begun with this key, and used. */
async function opensSession(url, key) {
  const begun = await ask(url, '/console/session', { key, body: '{}' });
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  const used = await ask(url, '/console/session', { key: undefined, method: 'GET', headers: { cookie } });
  return begun.status === 200 && used.status === 200;
}

/** How an attempt to sign in ends: a fault of sign-in, in its word. The provider here knows nobody, so one of them comes in any case. */
async function signIn(url) {
  const begun = await fetch(`${url}/console/oidc`, { redirect: 'manual' });
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const state = new URL(begun.headers.get('location') ?? url).searchParams.get('state') ?? '';
  const query = new URLSearchParams({ code: 'x', state });
  const ended = await fetch(`${url}/console/oidc/callback?${query}`, { redirect: 'manual', headers: { cookie } });
  return new URL(ended.headers.get('location') ?? url).searchParams.get('sign_in_fault');
}

/** An identity provider that describes itself and refuses every code. */
async function startProvider() {
  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    const isDescription = request.url.startsWith('/.well-known/');
    response.writeHead(isDescription ? 200 : 400, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        isDescription
          ? {
              issuer,
              authorization_endpoint: `${issuer}/authorize`,
              token_endpoint: `${issuer}/token`,
              jwks_uri: `${issuer}/keys`,
              response_types_supported: ['code'],
              subject_types_supported: ['public'],
              id_token_signing_alg_values_supported: ['RS256'],
            }
          : { error: 'invalid_grant' },
      ),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    issuer: `http://127.0.0.1:${server.address().port}`,
    stop: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}
