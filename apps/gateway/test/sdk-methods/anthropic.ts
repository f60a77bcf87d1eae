/** What becomes of the methods of `@anthropic-ai/sdk`. A method that is served has the call that shows it. */
import { toFile, type Anthropic } from '@anthropic-ai/sdk';
import { absent, translated, works, type Clients, type Rows } from './sdk-methods.ts';

const CHAT = ['claude-sonnet-5', 'gpt-5.2', 'deepseek-chat'];
const ASKED: Pick<Anthropic.MessageCreateParamsNonStreaming, 'max_tokens' | 'messages'> = {
  max_tokens: 200,
  messages: [{ role: 'user', content: 'High tide.' }],
};
const FORMAT = {
  type: 'json_schema',
  schema: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
} as const;
const TOOL = {
  type: 'custom',
  name: 'tide',
  input_schema: { type: 'object', properties: {} },
  run: () => 'high',
  parse: (input: unknown) => input,
} as const;

const ADMINISTRATION = 'Administration of an account at Anthropic; owners, keys and limits here are the gateway’s own.';
const AGENTS = 'Agents that run at Anthropic, with their state.';

const keptFile = async ({ anthropic }: Clients): Promise<string> =>
  (await anthropic.beta.files.upload({ file: await toFile(Buffer.from('High tide.'), 'tide.txt') })).id;

/** The same methods with the beta's name before them and without it. */
function filesOf(of: (clients: Clients) => Anthropic['files'] | Anthropic['beta']['files']) {
  return {
    upload: works(async (clients) => keptFile(clients)),
    list: works(async (clients) => {
      await keptFile(clients);
      return (await of(clients).list()).data.length;
    }),
    retrieveMetadata: works(async (clients) => (await of(clients).retrieveMetadata(await keptFile(clients))).filename),
    download: works(async (clients) => (await of(clients).download(await keptFile(clients))).text()),
    delete: works(async (clients) => (await of(clients).delete(await keptFile(clients))).id),
  };
}
const FILES = filesOf(({ anthropic }) => anthropic.files);
const BETA_FILES = filesOf(({ anthropic }) => anthropic.beta.files);
const batchOf = (model: string) => ({ requests: [{ custom_id: 'tide', params: { ...ASKED, model } }] });
async function endedBatch({ anthropic, passTime }: Clients): Promise<string> {
  const { id } = await anthropic.messages.batches.create(batchOf('gpt-5.2'));
  await passTime();
  return id;
}

export const ANTHROPIC: Rows = {
  'messages.create': translated(
    async ({ anthropic }, model) => (await anthropic.messages.create({ ...ASKED, model })).usage.output_tokens,
    CHAT,
  ),
  'messages.stream': translated(
    async ({ anthropic }, model) => anthropic.messages.stream({ ...ASKED, model }).finalText(),
    CHAT,
  ),
  'messages.parse': translated(
    async ({ anthropic }, model) =>
      (await anthropic.messages.parse({ ...ASKED, model, output_config: { format: FORMAT } })).content.length,
    CHAT,
  ),
  'messages.countTokens': translated(
    async ({ anthropic }, model) =>
      (await anthropic.messages.countTokens({ messages: ASKED.messages, model })).input_tokens,
    CHAT,
    'Counted by the vendor where it can count; else an estimate, and `x-gateway-estimated` says so.',
  ),
  'messages.batches.create': translated(
    async ({ anthropic }, model) => (await anthropic.messages.batches.create(batchOf(model))).id,
    CHAT,
    'Runs within a day; for half the price of tokens where the vendor has batches (OpenAI, Anthropic, Google), else at the price of the same requests by themselves.',
  ),
  'messages.batches.retrieve': works(
    async (clients) => (await clients.anthropic.messages.batches.retrieve(await endedBatch(clients))).ended_at,
  ),
  'messages.batches.list': works(async ({ anthropic }) => (await anthropic.messages.batches.list()).data.length),
  'messages.batches.cancel': works(
    async (clients) => (await clients.anthropic.messages.batches.cancel(await endedBatch(clients))).ended_at,
  ),
  'messages.batches.results': works(async (clients) => {
    for await (const { result } of await clients.anthropic.messages.batches.results(await endedBatch(clients)))
      return result.type === 'succeeded';
    return false;
  }),
  'messages.batches.delete': works(
    async (clients) => (await clients.anthropic.messages.batches.delete(await endedBatch(clients))).id,
  ),
  'beta.messages.create': translated(
    async ({ anthropic }, model) => (await anthropic.beta.messages.create({ ...ASKED, model })).usage.output_tokens,
    CHAT,
  ),
  'beta.messages.stream': translated(
    async ({ anthropic }, model) => anthropic.beta.messages.stream({ ...ASKED, model }).finalText(),
    CHAT,
  ),
  'beta.messages.parse': translated(
    async ({ anthropic }, model) =>
      (await anthropic.beta.messages.parse({ ...ASKED, model, output_config: { format: FORMAT } })).content.length,
    CHAT,
  ),
  'beta.messages.toolRunner': translated(
    async ({ anthropic }, model) =>
      (await anthropic.beta.messages.toolRunner({ ...ASKED, model, tools: [TOOL] })).content.length,
    CHAT,
  ),
  'beta.messages.countTokens': translated(
    async ({ anthropic }, model) =>
      (await anthropic.beta.messages.countTokens({ messages: ASKED.messages, model })).input_tokens,
    CHAT,
  ),
  'beta.messages.thread': absent('A conversation that Anthropic’s server holds.'),
  'beta.messages.batches.create': translated(
    async ({ anthropic }, model) => (await anthropic.beta.messages.batches.create(batchOf(model))).id,
    CHAT,
    'Runs within a day; for half the price of tokens where the vendor has batches (OpenAI, Anthropic, Google), else at the price of the same requests by themselves.',
  ),
  'beta.messages.batches.retrieve': works(
    async (clients) => (await clients.anthropic.beta.messages.batches.retrieve(await endedBatch(clients))).ended_at,
  ),
  'beta.messages.batches.list': works(
    async ({ anthropic }) => (await anthropic.beta.messages.batches.list()).data.length,
  ),
  'beta.messages.batches.cancel': works(
    async (clients) => (await clients.anthropic.beta.messages.batches.cancel(await endedBatch(clients))).ended_at,
  ),
  'beta.messages.batches.results': works(async (clients) => {
    for await (const { result } of await clients.anthropic.beta.messages.batches.results(await endedBatch(clients)))
      return result.type === 'succeeded';
    return false;
  }),
  'beta.messages.batches.delete': works(
    async (clients) => (await clients.anthropic.beta.messages.batches.delete(await endedBatch(clients))).id,
  ),
  'models.list': works(async ({ anthropic }) => (await anthropic.models.list()).data.length),
  'models.retrieve': works(async ({ anthropic }) => (await anthropic.models.retrieve('gpt-5.2')).id),
  'beta.models.list': works(async ({ anthropic }) => (await anthropic.beta.models.list()).data.length),
  'beta.models.retrieve': works(async ({ anthropic }) => (await anthropic.beta.models.retrieve('gpt-5.2')).id),
  'files.upload': FILES.upload,
  'files.list': FILES.list,
  'files.retrieveMetadata': FILES.retrieveMetadata,
  'files.download': FILES.download,
  'files.delete': FILES.delete,
  'beta.files.upload': BETA_FILES.upload,
  'beta.files.list': BETA_FILES.list,
  'beta.files.retrieveMetadata': BETA_FILES.retrieveMetadata,
  'beta.files.download': BETA_FILES.download,
  'beta.files.delete': BETA_FILES.delete,
  'skills.*': absent('Skills are kept and run by Anthropic.'),
  'beta.skills.*': absent('Skills are kept and run by Anthropic.'),
  'beta.agents.*': absent(AGENTS),
  'beta.deployments.*': absent(AGENTS),
  'beta.deploymentRuns.*': absent(AGENTS),
  'beta.dreams.*': absent(AGENTS),
  'beta.environments.*': absent(AGENTS),
  'beta.memoryStores.*': absent(AGENTS),
  'beta.sessions.*': absent(AGENTS),
  'beta.tunnels.*': absent(AGENTS),
  'beta.vaults.*': absent(AGENTS),
  'beta.webhooks.*': absent('They open what Anthropic’s own webhooks bring; no call is made.'),
  'userProfiles.*': absent(ADMINISTRATION),
  'beta.userProfiles.*': absent(ADMINISTRATION),
  'organization.*': absent(ADMINISTRATION),
  'beta.organization.*': absent(ADMINISTRATION),
};
