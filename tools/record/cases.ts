/** What is asked of a vendor to be recorded: few, small and cheap requests, one per capability and way of answering. */
import { dialects, type Encoded, type Target } from '@model-gateway/translate';
import { GatewayError, type DialectName, type Json } from '@model-gateway/contracts';
import {
  addUsage,
  type ProviderAdapter,
  type Upstream,
  type UpstreamRequest,
  type VideoCreate,
} from '@model-gateway/provider-kit';

export type CaseName = 'chat' | 'chat-stream' | 'chat-tool' | 'chat-unknown-model' | 'images' | 'speech' | 'videos';

export interface Case {
  readonly name: CaseName;
  /** `chat`, `images`, … and the call: the first parts of the fixture's name. */
  readonly call: string;
  run(context: CaseContext): Promise<void>;
}

export interface CaseContext {
  readonly adapter: ProviderAdapter;
  readonly upstream: Upstream;
  readonly unknownModel: Upstream;
  readonly voice: string | undefined;
  readonly pollEveryMs: number;
}

const PROMPT = 'Say only the word hello.';
const TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const satisfies Json;
const MOST_POLLS = 400;

/** Models that only complete texts are other ones than those that are asked here. */
const takesMessages = (dialect: DialectName): boolean => dialect !== 'openai-completions';

/** The cases this adapter can be asked for. */
export function casesOf(adapter: ProviderAdapter): readonly Case[] {
  const cases: Case[] = [];
  if (adapter.chat !== undefined) {
    for (const dialect of adapter.chat.dialects.filter(takesMessages)) {
      cases.push(
        chatCase('chat', dialect, { text: PROMPT }),
        chatCase('chat-stream', dialect, { text: PROMPT, stream: true }),
        chatCase('chat-tool', dialect, {
          text: 'What is the weather in Paris? Use the tool.',
          tool: true,
          stream: true,
        }),
        chatCase('chat-unknown-model', dialect, { text: PROMPT, unknown: true }),
      );
    }
  }
  if (adapter.images !== undefined) cases.push({ name: 'images', call: 'images-generate', run: makeImage });
  if (adapter.speech !== undefined) cases.push({ name: 'speech', call: 'speech-speak', run: speak });
  if (adapter.videos !== undefined) cases.push({ name: 'videos', call: 'videos', run: makeVideo });
  return cases;
}

interface ChatWish {
  readonly text: string;
  readonly stream?: boolean;
  readonly tool?: boolean;
  readonly unknown?: boolean;
}

function chatCase(name: CaseName, dialect: DialectName, { unknown = false, ...wish }: ChatWish): Case {
  return {
    name,
    call: `${name}.${dialect}`,
    async run({ adapter, upstream: known, unknownModel }) {
      const upstream = unknown ? unknownModel : known;
      const { request } = chatRequest(adapter, upstream, { dialect, ...wish });
      try {
        if (wish.stream !== true) await upstream.send(request);
        else for await (const _chunk of (await upstream.stream(request)).body);
      } catch (error) {
        // A refusal is what this case wants to see.
        if (!unknown || !(error instanceof GatewayError)) throw error;
      }
    },
  };
}

/** The question in the words of a dialect, made by the translation that requests go through. Throws when the vendor does not chat. */
export function chatRequest(
  adapter: ProviderAdapter,
  upstream: Upstream,
  { dialect, text, stream = false, tool = false }: Omit<ChatWish, 'unknown'> & { readonly dialect: DialectName },
): { readonly request: UpstreamRequest; readonly sent: Encoded } {
  if (adapter.chat === undefined) throw new Error(`${adapter.id} does not chat`);
  const messages = [{ role: 'user', content: text }];
  const asked = { model: upstream.model, stream, max_tokens: 256, messages, ...(tool && { tools: [TOOL] }) };
  const target: Target = { provider: adapter.id, model: upstream.model, quirks: upstream.quirks };
  const sent = dialects[dialect].encodeRequest(dialects['openai-chat'].decodeRequest(asked), target);
  const request = adapter.chat.request({
    dialect,
    purpose: 'generate',
    model: upstream.model,
    stream,
    body: Buffer.from(JSON.stringify(sent.body)),
    headers: sent.headers ?? {},
    settings: upstream.account.settings,
  });
  return { request, sent };
}

async function makeImage({ adapter, upstream }: CaseContext): Promise<void> {
  await adapter.images?.generate(
    { shape: 'prompt', prompt: 'A red square', images: [], count: 1, extra: {} },
    upstream,
  );
}

async function speak({ adapter, upstream, voice }: CaseContext): Promise<void> {
  const spoken = await adapter.speech?.speak(
    { shape: 'speech', text: 'Hello.', format: 'wav', stream: false, extra: {}, ...(voice !== undefined && { voice }) },
    upstream,
  );
  if (spoken === undefined) return;
  for await (const _chunk of spoken.audio);
  addUsage([spoken.usage()]);
}

/** Starts the shortest film there is and looks at it until it has ended. */
async function makeVideo({ adapter, upstream, pollEveryMs }: CaseContext): Promise<void> {
  const { videos } = adapter;
  if (videos === undefined) return;
  const prompt = 'A paper boat on a pond';
  const input: VideoCreate = {
    shape: 'prompt',
    body: { prompt },
    prompt,
    images: [],
    videos: [],
    audios: [],
    subjects: [],
    dedupeKey: `rec${upstream.now().toString(36)}`,
    extra: {},
  };
  const { ticket } = await videos.start(input, upstream);
  for (let polls = 0; polls < MOST_POLLS; polls++) {
    const { state } = await videos.check(ticket, upstream);
    if (state === 'succeeded' || state === 'failed' || state === 'missing') return;
    await upstream.pause(pollEveryMs);
  }
}
