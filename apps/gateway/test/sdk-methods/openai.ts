/** What becomes of the methods of `openai`. A method that is served has the call that shows it. */
import { connect, type Socket } from 'node:net';
import { signatureOf } from '@model-gateway/core';
import OpenAI, { toFile } from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { ResponsesWS as BetaResponsesWS } from 'openai/resources/beta/responses/ws';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { soundFile } from '../sound-files.ts';
import { absent, translated, vendor, works, type Clients, type Rows } from './sdk-methods.ts';

const REALTIME = 'gpt-realtime-2';
const CHAT = ['gpt-5.2', 'claude-sonnet-5', 'gemini-3.1-pro'];
const MESSAGES: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'High tide.' }];
const FORMAT = {
  type: 'json_schema',
  name: 'answer',
  schema: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
} as const;
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const picture = () => toFile(Buffer.from(PIXEL, 'base64'), 'picture.png', { type: 'image/png' });
const sound = () => toFile(soundFile(1), 'talk.wav');
const keptFile = async ({ openai }: Clients): Promise<string> =>
  (await openai.files.create({ file: await picture(), purpose: 'vision' })).id;
const UPLOAD = { bytes: 5, filename: 'tide.txt', mime_type: 'text/plain', purpose: 'user_data' } as const;
const keptPart = async ({ openai }: Clients) => {
  const { id } = await openai.uploads.create(UPLOAD);
  return openai.uploads.parts.create(id, { data: await toFile(Buffer.from('High.'), 'part') });
};
const keptResponse = async ({ openai }: Clients, model = 'claude-sonnet-5'): Promise<string> =>
  (await openai.responses.create({ model, input: 'High tide.' })).id;
const keptCompletion = async ({ openai }: Clients): Promise<string> => {
  const asked = { model: 'claude-sonnet-5', messages: MESSAGES, store: true, metadata: { topic: 'tides' } };
  return (await openai.chat.completions.create(asked)).id;
};
const keptConversation = async ({ openai }: Clients) =>
  openai.conversations.create({ items: [{ type: 'message', role: 'user', content: 'High tide.' }] });
const video = async ({ openai }: Clients): Promise<string> =>
  (await openai.videos.create({ model: 'sora-2', prompt: 'A kite', seconds: '4', size: '1280x720' })).id;
async function itemOf({ openai }: Clients): Promise<readonly [item: string, of: { conversation_id: string }]> {
  const { id } = await openai.conversations.create({
    items: [{ type: 'message', role: 'user', content: 'High tide.' }],
  });
  return [(await openai.conversations.items.list(id)).data[0]?.id ?? '', { conversation_id: id }];
}

const ADMINISTRATION = 'Administration of an account at OpenAI; owners, keys and limits here are the gateway’s own.';
const STORES = 'A store that OpenAI keeps and its hosted tools read.';
const AGENTS = 'Agents that run at OpenAI, with their state.';
const SUNSET = 'OpenAI has ended it; Responses and Conversations take its place.';

const BATCH = { endpoint: '/v1/chat/completions', completion_window: '24h' } as const;

export const OPENAI: Rows = {
  'chat.completions.create': translated(
    async ({ openai }, model) =>
      (await openai.chat.completions.create({ model, messages: MESSAGES })).choices[0]?.message.content,
    CHAT,
  ),
  'chat.completions.stream': translated(
    async ({ openai }, model) => openai.chat.completions.stream({ model, messages: MESSAGES }).finalContent(),
    CHAT,
  ),
  'chat.completions.parse': translated(async ({ openai }, model) => {
    const { type, ...json_schema } = FORMAT;
    const asked = { model, messages: MESSAGES, response_format: { type, json_schema } };
    return (await openai.chat.completions.parse(asked)).choices[0]?.message.content;
  }, CHAT),
  'chat.completions.runTools': translated(async ({ openai }, model) => {
    const tide = { name: 'tide', parameters: {}, function: () => 'high', parse: JSON.parse, description: 'The tide' };
    const tools = [{ type: 'function' as const, function: tide }];
    return openai.chat.completions.runTools({ model, messages: MESSAGES, tools }).finalContent();
  }, CHAT),
  'chat.completions.retrieve': works(
    async (at) => (await at.openai.chat.completions.retrieve(await keptCompletion(at))).choices.length,
    'Of answers that were asked for with `store: true`; kept by the gateway for any model.',
  ),
  'chat.completions.list': works(async (at) => {
    const id = await keptCompletion(at);
    const { data } = await at.openai.chat.completions.list({ metadata: { topic: 'tides' }, order: 'desc' });
    return data.some((each) => each.id === id);
  }),
  'chat.completions.update': works(
    async (at) =>
      (await at.openai.chat.completions.update(await keptCompletion(at), { metadata: { topic: 'fog' } })).metadata?.[
        'topic'
      ],
  ),
  'chat.completions.delete': works(
    async (at) => (await at.openai.chat.completions.delete(await keptCompletion(at))).deleted,
  ),
  'chat.completions.messages.list': works(
    async (at) => (await at.openai.chat.completions.messages.list(await keptCompletion(at))).data.length,
  ),
  'completions.create': translated(
    async ({ openai }, model) =>
      (await openai.completions.create({ model, prompt: 'High tide.', max_tokens: 300 })).choices[0]?.text,
    ['deepseek-v4-flash', ...CHAT],
    'Straight where the vendor completes texts; a chat model answers the prompt.',
  ),
  'responses.create': translated(
    async ({ openai }, model) => (await openai.responses.create({ model, input: 'High tide.' })).output_text,
    CHAT,
  ),
  'responses.stream': translated(
    async ({ openai }, model) =>
      (await openai.responses.stream({ model, input: 'High tide.' }).finalResponse()).output_text,
    CHAT,
  ),
  'responses.parse': translated(
    async ({ openai }, model) =>
      (await openai.responses.parse({ model, input: 'High tide.', text: { format: FORMAT } })).output_text,
    CHAT,
  ),
  'responses.retrieve': works(
    async (at) => (await at.openai.responses.retrieve(await keptResponse(at))).output_text,
    'Kept by the gateway for any model.',
  ),
  'responses.cancel': works(async ({ openai }) => {
    const { id } = await openai.responses.create({
      model: 'claude-sonnet-5',
      input: '[[twin:slow]]',
      background: true,
    });
    return (await openai.responses.cancel(id)).id === id;
  }),
  'responses.delete': works(async (at) => {
    await at.openai.responses.delete(await keptResponse(at));
    return true;
  }),
  'responses.inputItems.list': works(
    async (at) => (await at.openai.responses.inputItems.list(await keptResponse(at))).data.length,
  ),
  'responses.compact': translated(
    async ({ openai }, model) => (await openai.responses.compact({ model: model, input: 'High tide.' })).output.length,
    CHAT,
    'By OpenAI for models that it alone serves; else by a summary that the gateway encrypts.',
  ),
  'responses.inputTokens.count': translated(
    async ({ openai }, model) =>
      (await openai.responses.inputTokens.count({ model, input: 'High tide.' })).input_tokens,
    CHAT,
    'Counted by the vendor where it can count; else an estimate, and `x-gateway-estimated` says so.',
  ),
  'beta.responses.create': translated(
    async ({ openai }, model) => (await openai.beta.responses.create({ model, input: 'High tide.' })).output.length,
    CHAT,
    'What only the beta has (several agents in one answer) reaches OpenAI’s own models.',
  ),
  'beta.responses.retrieve': works(
    async (at) => (await at.openai.beta.responses.retrieve(await keptResponse(at))).output.length,
  ),
  'beta.responses.cancel': works(async ({ openai }) => {
    const { id } = await openai.responses.create({
      model: 'claude-sonnet-5',
      input: '[[twin:slow]]',
      background: true,
    });
    return (await openai.beta.responses.cancel(id)).id === id;
  }),
  'beta.responses.delete': works(async (at) => {
    await at.openai.beta.responses.delete(await keptResponse(at));
    return true;
  }),
  'beta.responses.inputItems.list': works(
    async (at) => (await at.openai.beta.responses.inputItems.list(await keptResponse(at))).data.length,
  ),
  'beta.responses.compact': translated(
    async ({ openai }, model) =>
      (await openai.beta.responses.compact({ model: model, input: 'High tide.' })).output.length,
    CHAT,
  ),
  'beta.responses.inputTokens.count': translated(
    async ({ openai }, model) =>
      (await openai.beta.responses.inputTokens.count({ model, input: 'High tide.' })).input_tokens,
    CHAT,
  ),
  'conversations.create': works(async (at) => (await keptConversation(at)).id),
  'conversations.retrieve': works(
    async (at) => (await at.openai.conversations.retrieve((await keptConversation(at)).id)).id,
  ),
  'conversations.update': works(
    async (at) => (await at.openai.conversations.update((await keptConversation(at)).id, { metadata: { a: '1' } })).id,
  ),
  'conversations.delete': works(
    async (at) => (await at.openai.conversations.delete((await keptConversation(at)).id)).deleted,
  ),
  'conversations.items.create': works(async (at) => {
    const items = [{ type: 'message' as const, role: 'user' as const, content: 'Low tide.' }];
    return (await at.openai.conversations.items.create((await keptConversation(at)).id, { items })).data.length;
  }),
  'conversations.items.list': works(
    async (at) => (await at.openai.conversations.items.list((await keptConversation(at)).id)).data.length,
  ),
  'conversations.items.retrieve': works(async (at) => {
    const [item, of] = await itemOf(at);
    return (await at.openai.conversations.items.retrieve(item, of)).type;
  }),
  'conversations.items.delete': works(async (at) => {
    const [item, of] = await itemOf(at);
    return (await at.openai.conversations.items.delete(item, of)).id;
  }),
  'embeddings.create': translated(
    async ({ openai }, model) =>
      (await openai.embeddings.create({ model, input: 'High tide.' })).data[0]?.embedding.length,
    ['text-embedding-3-small', 'gemini-embedding-001'],
  ),
  'moderations.create': works(
    async ({ openai }) => (await openai.moderations.create({ input: 'Fog.' })).results.length,
  ),
  'images.generate': translated(
    async ({ openai }, model) => (await openai.images.generate({ model, prompt: 'A kite' })).data?.length,
    ['gpt-image-2', 'doubao-seedream-4-5'],
  ),
  'images.edit': translated(
    async ({ openai }, model) =>
      (await openai.images.edit({ model, prompt: 'Bluer', image: await picture() })).data?.length,
    ['gpt-image-2', 'doubao-seedream-4-5'],
  ),
  'images.createVariation': translated(
    async ({ openai }, model) => (await openai.images.createVariation({ model, image: await picture() })).data?.length,
    ['gpt-image-2', 'doubao-seedream-4-5'],
    'An edit with an instruction of the gateway’s: no vendor has variations any more.',
  ),
  'audio.speech.create': translated(
    async ({ openai }, model) => {
      const voice = model.startsWith('gpt') ? 'alloy' : 'mimo_default';
      return (await (await openai.audio.speech.create({ model, input: 'High tide.', voice })).arrayBuffer()).byteLength;
    },
    ['gpt-4o-mini-tts', 'mimo-v2.5-tts'],
  ),
  'audio.transcriptions.create': vendor(
    async ({ openai }, model) => (await openai.audio.transcriptions.create({ model, file: await sound() })).text,
    ['whisper-1'],
    'OpenAI’s models, and those of servers that speak its form.',
  ),
  'audio.translations.create': vendor(
    async ({ openai }, model) => (await openai.audio.translations.create({ model, file: await sound() })).text,
    ['whisper-1'],
    'OpenAI’s models, and those of servers that speak its form.',
  ),
  'audio.voices.*': absent('Voices that OpenAI keeps.'),
  'audio.voiceConsents.*': absent('Voices that OpenAI keeps.'),
  'models.list': works(async ({ openai }) => (await openai.models.list()).data.length),
  'models.retrieve': works(async ({ openai }) => (await openai.models.retrieve('claude-sonnet-5')).id),
  'models.delete': absent('Deletes a fine-tuned model at OpenAI.'),
  'videos.create': works(async (at) => video(at), 'Any video model here.'),
  'videos.retrieve': works(async (at) => (await at.openai.videos.retrieve(await video(at))).status),
  'videos.list': works(async (at) => (await video(at)) && (await at.openai.videos.list()).data.length),
  'videos.delete': works(async (at) => (await at.openai.videos.delete(await ended(at))).deleted),
  'videos.downloadContent': works(async (at) => {
    const file = await at.openai.videos.downloadContent(await ended(at));
    return (await file.arrayBuffer()).byteLength;
  }),
  'videos.remix': works(
    async (at) => (await at.openai.videos.remix(await ended(at), { prompt: 'By night' })).id,
    'OpenAI’s form; other models are refused by name of those that can.',
  ),
  'videos.edit': works(
    async (at) => (await at.openai.videos.edit({ prompt: 'A red kite', video: { id: await ended(at) } })).id,
    'OpenAI’s form and xAI’s models; of videos that were made here.',
  ),
  'videos.extend': works(
    async (at) =>
      (await at.openai.videos.extend({ prompt: 'It lands', seconds: '4', video: { id: await ended(at) } })).id,
    'OpenAI’s form and xAI’s models; of videos that were made here.',
  ),
  'videos.createCharacter': absent('Characters that OpenAI keeps; subjects are the gateway’s word for it.'),
  'videos.getCharacter': absent('Characters that OpenAI keeps; subjects are the gateway’s word for it.'),
  'files.create': works(async (clients) => keptFile(clients)),
  'files.retrieve': works(async (clients) => (await clients.openai.files.retrieve(await keptFile(clients))).filename),
  'files.list': works(async (clients) => {
    await keptFile(clients);
    return (await clients.openai.files.list()).data.length;
  }),
  'files.delete': works(async (clients) => (await clients.openai.files.delete(await keptFile(clients))).deleted),
  'files.content': works(async (clients) => (await clients.openai.files.content(await keptFile(clients))).text()),
  'files.waitForProcessing': works(
    async (clients) => (await clients.openai.files.waitForProcessing(await keptFile(clients))).status,
  ),
  'uploads.create': works(async ({ openai }) => (await openai.uploads.create(UPLOAD)).id),
  'uploads.parts.create': works(async (clients) => (await keptPart(clients)).id),
  'uploads.complete': works(async (clients) => {
    const { id, upload_id: upload } = await keptPart(clients);
    return (await clients.openai.uploads.complete(upload, { part_ids: [id] })).file?.id;
  }),
  'uploads.cancel': works(async ({ openai }) => {
    const { id } = await openai.uploads.create(UPLOAD);
    return (await openai.uploads.cancel(id)).status;
  }),
  'batches.create': translated(
    async ({ openai }, model) => {
      const body = { model, messages: [{ role: 'user', content: 'High tide.' }] };
      const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body });
      const file = await openai.files.create({ file: await toFile(Buffer.from(line), 'in.jsonl'), purpose: 'batch' });
      return (await openai.batches.create({ ...BATCH, input_file_id: file.id })).id;
    },
    CHAT,
    'Runs within a day; for half the price of tokens where the vendor has batches (OpenAI, Anthropic, Google), else at the price of the same requests by themselves.',
  ),
  'batches.list': works(async ({ openai }) => (await openai.batches.list()).data.length),
  'batches.retrieve': works(async (clients) => {
    const { openai, passTime } = clients;
    const [batch] = (await openai.batches.list()).data;
    await passTime();
    return (await openai.batches.retrieve(batch?.id ?? '')).output_file_id;
  }),
  'batches.cancel': works(async ({ openai }) => {
    const [batch] = (await openai.batches.list()).data;
    return (await openai.batches.cancel(batch?.id ?? '')).status;
  }),
  'realtime.clientSecrets.create': works(async ({ openai }) => {
    const { value } = await openai.realtime.clientSecrets.create({ session: { type: 'realtime', model: REALTIME } });
    return value.startsWith('ek_');
  }),
  'realtime.calls.*': absent('Calls by WebRTC and SIP at OpenAI.'),
  'realtime.translations.*': absent('Interpreters at OpenAI.'),
  'live.*': absent('Sessions by WebRTC and SIP at OpenAI.'),
  'openai/resources/responses/ws': translated(
    async ({ openai }, model) => answeredBy(new ResponsesWS(openai), model),
    CHAT,
    'The class `ResponsesWS`.',
  ),
  'openai/resources/beta/responses/ws': translated(
    async ({ openai }, model) => answeredBy(new BetaResponsesWS(openai) as unknown as ResponsesWS, model),
    CHAT,
    'The class `ResponsesWS` of the beta.',
  ),
  'openai/realtime/ws': works(async ({ openai, url }) => {
    // The client insists on TLS, which nobody speaks here.
    const createConnection = (): Socket => connect(Number(new URL(url).port), '127.0.0.1');
    return conversed(new OpenAIRealtimeWS({ model: REALTIME, options: { createConnection } }, openai));
  }, 'The class `OpenAIRealtimeWS`.'),
  'openai/realtime/websocket': works(async ({ openai, key }) => {
    const { WebSocket: own } = globalThis;
    globalThis.WebSocket = class extends own {
      constructor(url: string | URL, protocols?: ConstructorParameters<typeof own>[1]) {
        super(String(url).replace('wss:', 'ws:'), protocols);
      }
    };
    try {
      const { baseURL } = openai;
      const browser = new OpenAI({ apiKey: key, baseURL, dangerouslyAllowBrowser: true });
      return await conversed(new OpenAIRealtimeWebSocket({ model: REALTIME, dangerouslyAllowBrowser: true }, browser));
    } finally {
      globalThis.WebSocket = own;
    }
  }, 'The class `OpenAIRealtimeWebSocket`.'),
  'openai/realtime/translations/*': absent('Interpreters at OpenAI.'),
  'openai/beta/realtime/*': absent(SUNSET),
  'openai/resources/live/*': absent('Sessions by WebRTC and SIP at OpenAI.'),
  'webhooks.unwrap': works(
    async ({ openai }) => unwrapped(openai),
    'Opens the webhooks of the gateway too; no call is made.',
  ),
  'webhooks.verifySignature': works(async ({ openai }) => unwrapped(openai)),
  'webhooks.*': absent(ADMINISTRATION),
  'containers.*': absent(STORES),
  'vectorStores.*': absent(STORES),
  'skills.*': absent(STORES),
  'decisions.create': absent('Classification by models of OpenAI’s own.'),
  'contentProvenanceChecks.create': absent('Looks for OpenAI’s own marks in pictures and sound.'),
  'safety.*': absent(ADMINISTRATION),
  'evals.*': absent('Evaluations.'),
  'fineTuning.*': absent('Fine-tuning.'),
  'beta.agents.*': absent(AGENTS),
  'beta.chatkit.*': absent(AGENTS),
  'beta.assistants.*': absent(SUNSET),
  'beta.threads.*': absent(SUNSET),
  'beta.realtime.*': absent(SUNSET),
  'admin.*': absent(ADMINISTRATION),
};

async function ended(at: Clients): Promise<string> {
  const id = await video(at);
  await at.passTime();
  return id;
}

async function answeredBy(socket: ResponsesWS, model: string): Promise<string> {
  try {
    const done = new Promise<string>((resolve, reject) => {
      socket.on('response.completed', ({ response }) => resolve(response.id));
      socket.on('error', reject);
    });
    socket.send({ type: 'response.create', model, input: 'High tide.' });
    return await done;
  } finally {
    socket.close();
  }
}

async function conversed(socket: OpenAIRealtimeWS | OpenAIRealtimeWebSocket): Promise<string> {
  try {
    const done = new Promise<string>((resolve, reject) => {
      socket.on('session.created', () =>
        socket.send({ type: 'response.create', response: { output_modalities: ['text'] } }),
      );
      socket.on('response.output_text.done', ({ text }) => resolve(text));
      socket.on('error', reject);
    });
    return await done;
  } finally {
    socket.close();
  }
}

async function unwrapped(openai: OpenAI): Promise<string> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({ type: 'video.task.succeeded', data: {} });
  const at = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': signatureOf(secret, 'msg_1', at, body),
  };
  await openai.webhooks.verifySignature(body, headers, secret);
  return (await openai.webhooks.unwrap(body, headers, secret)).type;
}
