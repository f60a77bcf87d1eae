/** A tenant who has got hold of another's ids refers to them in every way that a body has. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatewayProcess } from '../target.mjs';

const VICTIM = 'sk-attack-ids-victim-0123456789abcdef';
const THIEF = 'sk-attack-ids-thief-0123456789abcdef';
const OTHER_MODE = 'sk-test-attack-ids-victim-0123456789abcdef';

const user = (content) => [{ role: 'user', content }];
/** Bodies that refer to an id of a response, and those for ids that no answer brought. */
const OF_RESPONSE = [
  (id) => ['/v1/responses', { model: 'gpt-5.2', input: 'what did I say?', previous_response_id: id }],
  (id) => ['/v1/responses', { model: 'gpt-5.2', input: 'what?', previous_response_id: id, stream: true }],
  (id) => ['/v1/responses', { model: 'gpt-5.2', input: [{ type: 'item_reference', id }, ...user('what?')] }],
];
const OF_NOBODY = [
  ['/v1/responses', { model: 'gpt-5.2', input: 'x', conversation: 'conv_x' }],
  ['/v1/responses', { model: 'gpt-5.2', input: user([{ type: 'input_file', file_id: 'file-x' }]) }],
  ['/v1/responses', { model: 'gpt-5.2', input: [{ type: 'image_generation_call', id: 'ig_x' }, ...user('again')] }],
  ['/v1/videos', { model: 'sora-2', prompt: 'x', seconds: '4', input_reference: { file_id: 'file-x' } }],
  ['/v1/responses', { model: 'gpt-5.2', input: 'x', tools: [{ type: 'file_search', vector_store_ids: ['vs_x'] }] }],
  ['/v1/responses', { model: 'gpt-5.2', input: 'x', tools: [{ type: 'code_interpreter', container: 'cntr_x' }] }],
  ['/v1/chat/completions', { model: 'gpt-5.2', messages: user([{ type: 'file', file: { file_id: 'file-x' } }]) }],
  ['/v1/messages', { model: 'claude-sonnet-5', max_tokens: 9, messages: user('x'), container: 'container_x' }],
  [
    '/v1beta/models/gemini-2.5-flash:generateContent',
    { contents: [{ parts: [{ text: 'x' }] }], cachedContent: 'cachedContents/x' },
  ],
];

/** Fetched as everybody may, that is not at all, and not by the account. */
const OF_THE_ACCOUNT = [
  [
    '/v1/chat/completions',
    {
      model: 'gemini-2.5-flash',
      messages: user([
        { type: 'image_url', image_url: { url: 'https://generativelanguage.googleapis.com/v1beta/files/x' } },
      ]),
    },
  ],
];

/** Counts what succeeds for the thief, and what fails for the owner. */
export async function guessVendorIds({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
keys: [{ name: victim, key: ${VICTIM}, owner: 1 }, { name: thief, key: ${THIEF}, owner: 2 }, { name: test, key: ${OTHER_MODE}, owner: 1 }]
`,
  );
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { OPENAI_API_KEY: '' } });
  const faults = [];
  let tries = 0;
  const steal = async (key, [path, body], words = '', refusal = 404) => {
    tries += 1;
    const { status, text } = await ask(gateway.url, key, path, body);
    if (status !== refusal || !text.includes(words))
      faults.push(`${path} ${JSON.stringify(body).slice(0, 120)} was answered ${status}`);
  };
  try {
    for (let round = 0; round < (short ? 3 : 30); round++) {
      const made = await ask(gateway.url, VICTIM, '/v1/responses', {
        model: 'gpt-5.2',
        input: 'My secret is 1234.',
        stream: round % 2 === 1,
      });
      const id = /"id":"(resp_[^"]+)"/.exec(made.text)?.[1] ?? '';
      for (const body of OF_RESPONSE) for (const key of [THIEF, OTHER_MODE]) await steal(key, body(id));
      const own = await ask(gateway.url, VICTIM, ...OF_RESPONSE[0](id));
      if (own.status !== 200) faults.push(`the owner was answered ${own.status}`);
    }
    for (const request of OF_NOBODY) await steal(THIEF, request);
    for (const request of OF_THE_ACCOUNT) await steal(THIEF, request, '', 400);
    await claim(gateway.url, steal);
    return { measured: `${tries} tries, ${faults.length} faults`, faults };
  } finally {
    await gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a reply echoes of its caller's own words makes nothing the caller's. */
async function claim(url, steal) {
  const metadata = { container_id: 'cntr_claimed', file_id: 'file-claimed' };
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {}, ...metadata } }];
  for (const stream of [false, true])
    await ask(url, THIEF, '/v1/responses', { model: 'gpt-5.2', input: 'x', metadata, tools, stream });
  const container = { type: 'code_interpreter', container: metadata.container_id };
  await steal(
    THIEF,
    ['/v1/responses', { model: 'gpt-5.2', input: 'x', tools: [container] }],
    'must come from an answer',
  );
  const content = [{ type: 'input_file', file_id: metadata.file_id }];
  await steal(THIEF, ['/v1/responses', { model: 'gpt-5.2', input: user(content) }], 'must come from an answer');
}

async function ask(url, key, path, body) {
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, text: await reply.text() };
}
