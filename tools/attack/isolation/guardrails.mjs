/** Hides what a guardrail masks: in every place of the chat formats that has words, in other spellings, and in what answers say once more. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatewayProcess } from '../target.mjs';

const KEY = 'sk-attack-guardrails-0123456789abcdef';
const MAIL = 'ann.lee@example.com';
const CARD = 4111111111111111;
const WIRES = {
  chat: { vendor: 'openai', dialect: 'openai-chat', path: '/v1/chat/completions' },
  responses: { vendor: 'openai', dialect: 'openai-responses', path: '/v1/responses' },
  messages: { vendor: 'anthropic', dialect: 'anthropic-messages', path: '/v1/messages' },
  gemini: { vendor: 'gemini', dialect: 'gemini-generate', path: '/v1beta/models/m-gemini:generateContent' },
};
/** Written otherwise than it reads; what of it must not arrive. */
const SPELLINGS = {
  'a no-break space': ['card 4111\u00a01111\u00a01111\u00a01111', '1111\u00a01111'],
  'wide digits': ['card ４１１１ 1111 1111 1111', '1111 1111'],
  'invisible letters': ['4111\u200b1111\u200b1111\u200b1111', '1111\u200b1111'],
  'a line break': ['about Project\nBlue.', 'Blue'],
  'escapes in a text': [String.raw`{"mail": "\u0061nn.lee@example.com"}`, 'nn.lee'],
};
const schema = { type: 'object', properties: { a: { type: 'string', description: `Ask ${MAIL}` } } };
const free = (value) => ({
  result: value,
  data: value,
  url: value,
  status: value,
  user_id: value,
  deep: [{ id: value }],
});
const user = (content) => ({ role: 'user', content });

const REQUESTS = {
  chat: {
    'a result of a tool': {
      messages: [user('a'), call('{}'), { role: 'tool', tool_call_id: 'c', content: JSON.stringify(free(MAIL)) }],
    },
    'escaped arguments': { messages: [user('a'), call(String.raw`{"to":"ann.lee\u0040example.com"}`)] },
    'a description': {
      messages: [user('a')],
      tools: [{ type: 'function', function: { name: 'f', description: MAIL, parameters: { type: 'object' } } }],
    },
    'a schema of a tool': {
      messages: [user('a')],
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    },
    'the form of the answer': {
      messages: [user('a')],
      response_format: { type: 'json_schema', json_schema: { name: 'f', schema } },
    },
  },
  responses: {
    'a result of a tool': {
      input: [{ type: 'function_call_output', call_id: 'c', output: JSON.stringify(free(MAIL)) }],
    },
    'a result of a server': {
      input: [
        {
          type: 'mcp_call',
          id: 'm',
          name: 'f',
          server_label: 's',
          arguments: '{}',
          result: MAIL,
          output: MAIL,
          error: MAIL,
        },
      ],
    },
    'a description': { input: 'a', tools: [{ type: 'function', name: 'f', description: MAIL, parameters: schema }] },
    'the form of the answer': { input: 'a', text: { format: { type: 'json_schema', name: 'f', schema } } },
  },
  messages: {
    'arguments of a call': {
      messages: [
        user('a'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: free(MAIL) }] },
        user([{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }]),
      ],
    },
    'a number': {
      messages: [
        user('a'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: { card: CARD } }] },
        user([{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }]),
      ],
    },
    'the name of a member': {
      messages: [
        user('a'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: { [MAIL]: 1 } }] },
        user([{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }]),
      ],
    },
    'a description': { messages: [user('a')], tools: [{ name: 'f', description: MAIL, input_schema: schema }] },
  },
  gemini: {
    'a result of a tool': {
      contents: [{ role: 'user', parts: [{ functionResponse: { name: 'f', response: free(MAIL) } }] }],
    },
    'a number': { contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args: { card: CARD } } }] }] },
    'a description': {
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', description: MAIL, parameters: schema }] }],
    },
    'the form of the answer': {
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
      generationConfig: { responseMimeType: 'application/json', responseSchema: schema },
    },
  },
};

const token = (text) => ({
  token: text,
  logprob: 0,
  bytes: [...Buffer.from(text)],
  top_logprobs: [{ token: text, logprob: 0, bytes: null }],
});
const TOKENS = ['Mail ', 'ann.lee@', 'example.com', ' now'];
const choice = (more) => ({ index: 0, finish_reason: null, ...more });
const base = { id: 'c', object: 'chat.completion', created: 1, model: 'm' };
const usage = { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 };
const details = (text) => [{ type: 'reasoning.text', index: 0, text }];

/** Each says the address in another way: whole, or as events. */
const ANSWERS = {
  'log probabilities': {
    ...base,
    usage,
    choices: [
      choice({
        message: { role: 'assistant', content: TOKENS.join('') },
        logprobs: { content: TOKENS.map(token) },
        finish_reason: 'stop',
      }),
    ],
  },
  'reasoning details': {
    ...base,
    usage,
    choices: [
      choice({
        message: {
          role: 'assistant',
          content: 'ok',
          reasoning: TOKENS.join(''),
          reasoning_details: details(TOKENS.join('')),
        },
        finish_reason: 'stop',
      }),
    ],
  },
  'streamed log probabilities': TOKENS.map((text) =>
    choice({ delta: { content: text }, logprobs: { content: [token(text)] } }),
  ),
  'log probabilities of other events': TOKENS.map((text) =>
    choice({ delta: { content: 'ok ' }, logprobs: { content: [token(text)] } }),
  ),
  'a list of parts': TOKENS.map((text) => choice({ delta: { content: [{ type: 'text', text }] } })),
  'streamed reasoning details': TOKENS.map((text) =>
    choice({ delta: { reasoning: text, reasoning_details: details(text) } }),
  ),
};

export async function hideFromGuardrails({ say }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const vendor = await startVendor();
  writeFileSync(join(folder, 'gateway.yaml'), configOf(folder, vendor.url));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { OPENAI_API_KEY: '' } });
  const faults = [];
  let count = 0;
  const tell = (what, isSeen, why) => {
    count++;
    if (isSeen) return;
    say(`${what}: ${why}`);
    faults.push(`${what} passed`);
  };
  try {
    for (const [wire, bodies] of Object.entries(REQUESTS))
      for (const [place, body] of Object.entries(bodies)) {
        const got = await ask(gateway.url, vendor, wire, body);
        tell(
          `${wire}: ${place}`,
          got !== '' && !/ann\.lee|4111111111111111/.test(got),
          got.slice(0, 400) || 'no vendor was asked',
        );
      }
    for (const [spelling, [text, needle]] of Object.entries(SPELLINGS)) {
      const got = await ask(gateway.url, vendor, 'chat', { messages: [user(text)] });
      tell(
        `chat: ${spelling}`,
        got !== '' && !JSON.stringify(JSON.parse(got).messages).includes(needle),
        got.slice(0, 400),
      );
    }
    for (const [what, answer] of Object.entries(ANSWERS)) {
      vendor.answer = answer;
      const stream = Array.isArray(answer);
      const reply = await post(gateway.url, WIRES.chat.path, {
        model: 'm-chat',
        stream,
        messages: [user('a')],
        logprobs: true,
      });
      const said = await reply.text();
      tell(`an answer with ${what}`, reply.ok && !/ann\.lee|"example\.com/.test(said), said.slice(0, 600));
    }
  } finally {
    await gateway.kill();
    vendor.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return { measured: `${count - faults.length} of ${count} were masked`, faults };
}

function call(args) {
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }],
  };
}

/** What the vendor was sent. */
async function ask(url, vendor, wire, body) {
  vendor.got = '';
  vendor.answer = undefined;
  const { path } = WIRES[wire];
  const named =
    wire === 'gemini' ? body : { model: `m-${wire}`, ...(wire === 'messages' && { max_tokens: 9 }), ...body };
  await (await post(url, path, named)).text();
  return vendor.got;
}

function post(url, path, body) {
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
}

/** Keeps the last body; answers what it is told to, else a refusal that nobody asks again for. */
async function startVendor() {
  const vendor = { got: '', answer: undefined };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => (body += chunk));
    request.once('end', () => {
      vendor.got = body;
      const { answer } = vendor;
      if (Array.isArray(answer)) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const last = choice({ delta: {}, finish_reason: 'stop' });
        for (const each of [...answer, last])
          response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [each] })}\n\n`);
        response.end(`data: ${JSON.stringify({ ...base, choices: [], usage })}\n\ndata: [DONE]\n\n`);
        return;
      }
      response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: { message: 'no', type: 'invalid_request_error' } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vendor.url = `http://127.0.0.1:${server.address().port}`;
  vendor.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return vendor;
}

function configOf(folder, vendor) {
  const accounts = ['openai', 'anthropic', 'gemini'].map(
    (name, at) =>
      `  - { id: ${at + 1}, name: ${name}, vendor: ${name}, base_url: '${vendor}${name === 'anthropic' ? '' : name === 'gemini' ? '/v1beta' : '/v1'}', credentials: { api_key: none } }`,
  );
  const models = Object.entries(WIRES).map(
    ([wire, { vendor: account, dialect }]) =>
      `  - { code: m-${wire}, kind: chat, offers: [{ account: ${account}, model: m, dialect: ${dialect} }], price: { input: 0, output: 0 } }`,
  );
  return `server: { port: 0, drain_seconds: 1 }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
keys:
  - { name: attack, key: ${KEY}, owner: 1 }
extends: none
accounts:
${accounts.join('\n')}
models:
${models.join('\n')}
guardrails:
  - { name: personal, mode: mask, detect: [email, credit_card], words: [Project Blue] }
`;
}
