/** MCP servers answer with 100 MB, with lists that never end and a byte now and then, to chats and to clients of the proxy, while another owner asks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mcpRequest, startMcpServer, startObedientVendor, tool } from '../mcp-servers.mjs';
import { ask, KEYS, MB, startWatched } from './gateway.mjs';

const RESULT_MB = 100;
const AT_ONCE = { whole: 8, short: 4 };
const TIMEOUT_SECONDS = 2;
const LONGEST_SECONDS = 20;
const MOST_GROWTH_MB = 250;
const SLOWEST_MS = 2000;
const DRIP_MS = 50;
const HONEST = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });

export async function askHostileServers({ say, short = false }) {
  const faults = [];
  const measured = [];
  const servers = {
    big: await startMcpServer({ 'tools/call': (_reply, { response }) => void pour(response) }),
    endless: await startMcpServer({ 'tools/list': endlessList() }),
    drip: await startMcpServer({ 'tools/call': (_reply, { response }) => void drip(response) }),
  };
  const vendor = await startObedientVendor((json, results) =>
    results === 0 ? json.tools[0].function.name : undefined,
  );
  const gateway = await startWatched({
    accounts: `  - { id: 2, name: told, vendor: openai, base_url: '${vendor.url}/v1', credentials: { api_key: none } }\n`,
    lines: linesOf(servers),
  });
  const atOnce = short ? AT_ONCE.short : AT_ONCE.whole;
  try {
    for (const name of Object.keys(servers)) {
      for (const [way, request] of Object.entries(waysTo(name))) {
        const start = await gateway.look();
        let isOver = false;
        const honest = watchHonest(gateway, () => isOver);
        const began = Date.now();
        const answers = await Promise.all(Array.from({ length: atOnce }, () => ask(gateway.url, ...request)));
        const seconds = (Date.now() - began) / 1000;
        isOver = true;
        const { slowest, refused } = await honest;
        const grown = Math.max(0, ((await gateway.look()).peakBytes - start.peakBytes) / MB);
        const words = `${atOnce} × ${name} by ${way}: ${seconds.toFixed(1)} s, +${grown.toFixed(0)} MB, another owner at most ${slowest} ms`;
        say(words);
        measured.push(words);
        if (answers.some(({ status }) => status === 0))
          faults.push(`${name} by ${way}: no end after ${LONGEST_SECONDS} s`);
        if (answers.some(({ text }) => text.length > MB)) faults.push(`${name} by ${way}: the result was handed on`);
        if (grown > MOST_GROWTH_MB) faults.push(`${name} by ${way} took ${grown.toFixed(0)} MB`);
        if (refused > 0 || slowest > SLOWEST_MS)
          faults.push(`${name} by ${way}: another owner ${slowest} ms, ${refused} refused`);
        if (!gateway.isAlive()) return { measured: measured.join(', '), faults: [...faults, 'the gateway has died'] };
      }
      if (servers[name].asked.length < 2) faults.push(`the server '${name}' was not asked`);
    }
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.stop();
    await Promise.all([vendor, ...Object.values(servers)].map((each) => each.stop()));
  }
}

/** How a server is asked: arguments of `ask` behind the address. */
function waysTo(name) {
  const call = name === 'endless' ? mcpRequest('tools/list') : mcpRequest('tools/call', { name: 'act', arguments: {} });
  const chat = { model: 't', input: 'act', tools: [{ type: 'mcp', server_label: name, require_approval: 'never' }] };
  return {
    'the proxy': [`/mcp/${name}`, { ...call, seconds: LONGEST_SECONDS }],
    'a chat': ['/v1/responses', { body: JSON.stringify(chat), seconds: LONGEST_SECONDS }],
  };
}

async function watchHonest({ url }, isOver) {
  let slowest = 0;
  let refused = 0;
  while (!isOver()) {
    const began = Date.now();
    const { status } = await ask(url, '/v1/chat/completions', { key: KEYS[1], body: HONEST });
    slowest = Math.max(slowest, Date.now() - began);
    if (status !== 200) refused++;
    await sleep(50);
  }
  return { slowest, refused };
}

/** 100 MB of a result, as fast as they are read. */
async function pour(response) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"');
  const piece = 'x'.repeat(MB);
  for (let at = 0; at < RESULT_MB && !response.destroyed; at++)
    if (!response.write(piece))
      await new Promise((resolve) => void response.once('drain', resolve).once('close', resolve));
  response.end('"}]}}');
}

/** Every page has another one behind it. */
function endlessList() {
  let page = 0;
  return (reply) => {
    page++;
    reply({ tools: Array.from({ length: 20 }, (_, at) => tool(`act-${page}-${at}`)), nextCursor: String(page) });
  };
}

/** A byte of a result now and then. */
async function drip(response) {
  response.writeHead(200, { 'content-type': 'application/json' });
  while (!response.destroyed) {
    response.write(' ');
    await sleep(DRIP_MS);
  }
}

function linesOf(servers) {
  const hosts = Object.values(servers).map(({ host }) => `'${host}'`);
  const rows = Object.entries(servers).map(
    ([name, { url }]) => `    - { name: ${name}, url: '${url}', timeout_seconds: ${TIMEOUT_SECONDS} }`,
  );
  return `  - { code: t, kind: chat, offers: [{ account: told, model: t, dialect: openai-chat }], price: { input: 0, output: 0 } }
security: { allow_private: [${hosts.join(', ')}] }
mcp:
  servers:
${rows.join('\n')}
`;
}
