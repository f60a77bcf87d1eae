// npm run record -- VENDOR --model NAME [--only chat,chat-stream] [--base-url URL] [--wire W] [--setting name=value] [--voice V] [--out FOLDER]
// Records real exchanges with a vendor into fixtures. Credentials come from the environment, under names that mean it: LIVE_OPENAI_API_KEY, LIVE_TENCENT_VOD_SECRET_ID, …
// Every request is paid for by that account: the cases are few and small (tools/record/cases.ts), videos are made only with --only=videos.
import './needs-node-24.mjs';
import { fileURLToPath } from 'node:url';
import { readArguments } from './read-arguments.mjs';

const { positionals, ...values } = readArguments(
  import.meta.url,
  {
    model: { type: 'string' },
    only: { type: 'string' },
    'base-url': { type: 'string' },
    wire: { type: 'string' },
    setting: { type: 'string', multiple: true },
    voice: { type: 'string' },
    out: { type: 'string' },
    'poll-seconds': { type: 'string' },
  },
  true,
);
const [vendor] = positionals;
const { adapterOf, vendors } = await import('../apps/gateway/src/adapters.ts');
const { accountOn, baseUrlOf } = await import('@model-gateway/provider-kit');
const { recordVendor } = await import('./record/record.ts');

const adapter = await adapterOf(vendor ?? '');
if (adapter === undefined || values.model === undefined) {
  console.error(`usage: npm run record -- VENDOR --model NAME; vendors: ${[...vendors.keys()].join(', ')}`);
  process.exit(2);
}
const declared = accountOn(adapter.declares, values.wire);
const baseUrl = values['base-url'] ?? (declared && baseUrlOf(declared, {}));
if (declared === undefined || baseUrl === undefined) {
  console.error(declared === undefined ? `${vendor} has no wire '${values.wire}'` : `${vendor} needs --base-url`);
  process.exit(2);
}
const prefix = `LIVE_${(vendor ?? '').toUpperCase().replaceAll('-', '_')}`;
const credentials = Object.fromEntries(
  Object.keys(declared.credentials)
    .map((name) => [name, process.env[`${prefix}_${name.toUpperCase()}`] ?? ''])
    .filter(([, value]) => value !== ''),
);
const settings = Object.fromEntries([
  ...(values.wire === undefined ? [] : [['wire', values.wire]]),
  ...(values.setting ?? []).map((pair) => pair.split(/=(.*)/s).slice(0, 2)),
]);
// A server of one's own may need no key; the vendor itself does.
const sets = values['base-url'] === undefined ? declared.sufficient.slice(0, 1) : declared.sufficient;
if (!sets.some((set) => set.every((name) => name in credentials || name in settings))) {
  const names = (declared.sufficient[0] ?? []).map((name) => `${prefix}_${name.toUpperCase()}`);
  console.error(`skipped: ${vendor} needs ${names.join(' and ')} in the environment`);
  process.exit(0);
}
const only = values.only?.split(',') ?? ['chat', 'chat-stream', 'chat-tool', 'chat-unknown-model', 'images', 'speech'];
const folder = values.out ?? fileURLToPath(new URL(`../libs/providers/${vendor}/fixtures/recorded`, import.meta.url));
const isLoopback = /^https?:\/\/(127\.|localhost)/.test(baseUrl);
const written = await recordVendor({
  adapter,
  account: {
    id: 1,
    name: 'recording',
    vendor: adapter.id,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    credentials,
    settings,
  },
  model: values.model,
  only,
  folder,
  voice: values.voice,
  pollEveryMs: Number(values['poll-seconds'] ?? 5) * 1000,
  ...(isLoopback && { allowPrivate: ['127.0.0.1'] }),
  now: Date.now,
  say: (line) => console.log(line),
});
console.log(
  `${written.length} files in ${folder}. Read each before it is committed: scrubbing knows what secrets usually look like.`,
);
