/** What becomes of the methods of `@google/genai`. A method that is served has the call that shows it. */
import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GenerateVideosOperation, Modality, type LiveServerMessage } from '@google/genai';
import { absent, translated, vendor, works, type Clients, type Rows } from './sdk-methods.ts';

const CHAT = ['gemini-3.1-pro', 'gpt-5.2', 'claude-sonnet-5'];
const GEMINI = 'gemini-3.1-pro';
const KEPT_HERE = 'Models of the Gemini API whose row has `price.cache_storage`.';
const VIDEO = ['veo-3.1', 'sora-2', 'kling-v3-omni', 'MiniMax-Hailuo-2.3'];
const VERTEX = 'The SDK has it on Vertex AI only.';
const STORES = 'A store of documents that Google keeps and searches.';
const AGENTS = 'Agents that run at Google, with their state.';

const keptFile = async ({ google }: Clients): Promise<string> =>
  (await google.files.upload({ file: new Blob(['High tide.'], { type: 'text/plain' }) })).name ?? '';
const INLINE = [{ contents: [{ role: 'user', parts: [{ text: 'High tide.' }] }] }];
async function endedBatch({ google, passTime }: Clients): Promise<string> {
  const { name = '' } = await google.batches.create({ model: 'gpt-5.2', src: INLINE });
  await passTime();
  return name;
}

const keptContent = (google: Clients['google'], model: string) =>
  google.caches.create({ model, config: { contents: 'High tide comes at noon. '.repeat(300) } });

/** The operation of a video that has ended. */
async function startedVideo({ google, url, key, passTime }: Clients, model: string) {
  const reply = await fetch(`${url}/v1beta/models/${model}:predictLongRunning`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ instances: [{ prompt: 'High tide.' }] }),
  });
  const operation = new GenerateVideosOperation();
  operation.name = ((await reply.json()) as { name: string }).name;
  for (let step = 0; step < 30; step++) {
    await passTime();
    const { done } = await google.operations.getVideosOperation({ operation });
    if (done === true) break;
  }
  return { operation };
}
const madeVideo = ({ response }: Pick<GenerateVideosOperation, 'response'>): string | undefined =>
  response?.generatedVideos?.[0]?.video?.uri;

export const GOOGLE: Rows = {
  'models.generateContent': translated(
    async ({ google }, model) => (await google.models.generateContent({ model, contents: 'High tide.' })).text,
    CHAT,
  ),
  'models.generateContentStream': translated(async ({ google }, model) => {
    let text = '';
    for await (const chunk of await google.models.generateContentStream({ model, contents: 'High tide.' }))
      text += chunk.text ?? '';
    return text;
  }, CHAT),
  'models.countTokens': translated(
    async ({ google }, model) => (await google.models.countTokens({ model, contents: 'High tide.' })).totalTokens,
    CHAT,
    'Counted by the vendor where it can count; else an estimate, and `x-gateway-estimated` says so.',
  ),
  'models.embedContent': translated(
    async ({ google }, model) =>
      (await google.models.embedContent({ model, contents: 'High tide.' })).embeddings?.[0]?.values?.length,
    ['gemini-embedding-001', 'text-embedding-3-small'],
  ),
  'models.list': works(async ({ google }) => (await google.models.list()).page.length),
  'models.get': works(async ({ google }) => (await google.models.get({ model: 'gpt-5.2' })).name),
  'models.generateImages': translated(
    async ({ cloud }, model) =>
      (await cloud.models.generateImages({ model, prompt: 'High tide.' })).generatedImages?.[0]?.image?.imageBytes
        ?.length,
    ['gpt-image-2', 'doubao-seedream-4-5', 'qwen-image-2.0'],
    'The SDK has it with `vertexai: true` only.',
  ),
  'models.generateVideos': translated(
    async ({ cloud }, model) => (await cloud.models.generateVideos({ model, source: { prompt: 'High tide.' } })).name,
    VIDEO,
    'The SDK has it with `vertexai: true` only; earlier versions, and those for other languages, without, too.',
  ),
  'operations.getVideosOperation': translated(
    async (clients, model) =>
      madeVideo(await clients.google.operations.getVideosOperation(await startedVideo(clients, model))),
    VIDEO,
    'Videos that were started in any form.',
  ),
  'operations.get': translated(
    async (clients, model) => madeVideo(await clients.google.operations.get(await startedVideo(clients, model))),
    VIDEO,
    'The operations of videos.',
  ),
  'models.computeTokens': absent(VERTEX),
  'models.editImage': absent(VERTEX),
  'models.upscaleImage': absent(VERTEX),
  'models.recontextImage': absent(VERTEX),
  'models.segmentImage': absent(VERTEX),
  'models.update': absent('Changes a tuned model at Google.'),
  'models.delete': absent('Deletes a tuned model at Google.'),
  'chats.create': translated(
    async ({ google }, model) => (await google.chats.create({ model }).sendMessage({ message: 'High tide.' })).text,
    CHAT,
  ),
  'live.connect': vendor(
    ({ google }, model) =>
      new Promise<string>((resolve, reject) => {
        let close = (): void => undefined;
        const onmessage = ({ serverContent }: LiveServerMessage): void => {
          if (serverContent?.turnComplete !== true) return;
          close();
          resolve('told');
        };
        google.live
          .connect({ model, config: { responseModalities: [Modality.TEXT] }, callbacks: { onmessage } })
          .then((session) => {
            close = () => session.close();
            session.sendClientContent({ turns: 'High tide.' });
          })
          .catch(reject);
      }),
    ['gemini-2.5-flash-native-audio'],
  ),
  'live.music.connect': absent('Music as a live session, which no other vendor has.'),
  'authTokens.create': absent(
    'Tokens of Google’s for so many sessions. For OpenAI’s wire the gateway has its own (`realtime.clientSecrets.create`).',
  ),
  'batches.create': translated(
    async ({ google }, model) => (await google.batches.create({ model, src: INLINE })).name,
    CHAT,
    'Inline requests. Runs within a day; for half the price of tokens where the vendor has batches (OpenAI, Anthropic, Google), else at the price of the same requests by themselves.',
  ),
  'batches.get': works(
    async (clients) => (await clients.google.batches.get({ name: await endedBatch(clients) })).dest !== undefined,
  ),
  'batches.list': works(async ({ google }) => (await google.batches.list()).page.length),
  'batches.cancel': works(async (clients) => {
    await clients.google.batches.cancel({ name: await endedBatch(clients) });
    return true;
  }),
  'batches.delete': works(async (clients) => {
    await clients.google.batches.delete({ name: await endedBatch(clients) });
    return true;
  }),
  'batches.createEmbeddings': translated(
    async ({ google, passTime }, model) => {
      const src = { inlinedRequests: { contents: ['High tide.', 'Low tide.'] } };
      const { name = '' } = await google.batches.createEmbeddings({ model, src });
      await passTime();
      const { dest } = await google.batches.get({ name });
      const vectors = dest?.inlinedEmbedContentResponses?.map(({ response }) => response?.embedding?.values?.length);
      return vectors?.length === 2 && vectors[0];
    },
    ['gemini-embedding-001', 'text-embedding-3-small'],
    'Inline requests. Runs within a day, at the price of the same requests by themselves.',
  ),
  'caches.create': vendor(async ({ google }, model) => (await keptContent(google, model)).name, [GEMINI], KEPT_HERE),
  'caches.get': vendor(
    async ({ google }, model) => (await google.caches.get({ name: (await keptContent(google, model)).name! })).model,
    [GEMINI],
    KEPT_HERE,
  ),
  'caches.list': vendor(
    async ({ google }, model) => {
      await keptContent(google, model);
      return (await google.caches.list()).page.length;
    },
    [GEMINI],
    KEPT_HERE,
  ),
  'caches.update': vendor(
    async ({ google }, model) => {
      const { name = '' } = await keptContent(google, model);
      return (await google.caches.update({ name, config: { ttl: '7200s' } })).expireTime;
    },
    [GEMINI],
    KEPT_HERE,
  ),
  'caches.delete': vendor(
    async ({ google }, model) => {
      const { name = '' } = await keptContent(google, model);
      await google.caches.delete({ name });
      return google.caches.get({ name }).then(
        () => '',
        () => name,
      );
    },
    [GEMINI],
    KEPT_HERE,
  ),
  'files.upload': works(async (clients) => keptFile(clients)),
  'files.get': works(async (clients) => (await clients.google.files.get({ name: await keptFile(clients) })).uri),
  'files.list': works(async (clients) => {
    await keptFile(clients);
    return (await clients.google.files.list()).page.length;
  }),
  'files.download': works(async (clients) => {
    const downloadPath = join(tmpdir(), `${randomUUID()}.txt`);
    await clients.google.files.download({ file: await keptFile(clients), downloadPath });
    const text = await readFile(downloadPath, 'utf8');
    await rm(downloadPath);
    return text;
  }),
  'files.delete': works(async (clients) => {
    const name = await keptFile(clients);
    await clients.google.files.delete({ name });
    return clients.google.files.get({ name }).then(
      () => '',
      () => name,
    );
  }),
  'files.registerFiles': absent('Registers files of Google Cloud Storage at Google.'),
  'fileSearchStores.*': absent(STORES),
  'tunings.*': absent('Fine-tuning.'),
  'interactions.*': absent(AGENTS),
  'agents.*': absent(AGENTS),
  'environments.*': absent(AGENTS),
  'triggers.*': absent(AGENTS),
  'credentials.*': absent(AGENTS),
  'webhooks.*': absent('Webhooks of Google’s; those of the gateway are set by each task.'),
  'voices.*': absent('Voices that Google keeps.'),
};
