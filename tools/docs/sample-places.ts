/** Puts into a sample what its reader would: the address, keys, and ids of things that are there. What a sample uses up is made for it. */
import { createAdmin, createClient } from '@model-gateway/client';
import { BatchPlaces, newJob } from './sample-batches.ts';
import { PLACES, type Piece } from './printed-samples.ts';

export interface Reader {
  readonly url: string;
  readonly testKey: string;
  readonly adminKey: string;
}

/** What stands in a sample, and what is put there. */
type Place = readonly [string | RegExp, () => string | Promise<string>];

/** Makes a video, a task, a subject, a picture and a delivery, and gives what fills samples in. */
export async function openPlaces({ url, testKey, adminKey }: Reader): Promise<(piece: Piece) => Promise<string>> {
  const client = createClient({ baseUrl: url, apiKey: testKey });
  const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
  const newVideo = async (): Promise<string> =>
    (await client.videoObjects.create({ model: 'sora-2', prompt: 'a boat', seconds: '4' }).wait()).id;
  const newSession = async (): Promise<string> =>
    (await client.call('createConsoleSession', { body: {} })).session?.id ?? '';
  const newEntry = async (name: string): Promise<number> =>
    (await admin.configEntries.put('accounts', name, { value: SECOND_ACCOUNT })).change?.id ?? 0;
  const text = 'a boat';
  const input = text;
  const newResponse = async (): Promise<string> =>
    (await client.responses.create({ model: 'claude-sonnet-5', input })).id;
  const newCompletion = async (): Promise<string> =>
    (await client.chat.create({ model: 'gpt-5.2', messages: [{ role: 'user', content: text }], store: true })).id;
  const newConversation = async (): Promise<string> =>
    (await client.conversations.create({ items: [{ role: 'user', content: text }] })).id;
  const newChat = () =>
    client.chat.create({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] }).withResponse();
  const [task, video, subject, picture, chat, background, kept, conversation, stream] = await Promise.all([
    client.videos
      .create({
        model: 'doubao-seedance-2-0-fast',
        content: [{ type: 'text', text }],
        callback_url: 'https://hooks.example.com/gateway',
      })
      .wait(),
    newVideo(),
    client.subjects
      .create({
        element_name: 'Mira',
        element_description: 'young woman',
        reference_type: 'image_refer',
        element_image_list: {
          frontal_image: 'https://media.example.com/a.png',
          refer_images: [{ image_url: 'https://media.example.com/b.png' }],
        },
      })
      .wait(),
    client.images.generate({ model: 'gpt-image-2', prompt: text, response_format: 'url' }),
    newChat(),
    client.responses.start({ model: 'claude-sonnet-5', input }).wait(),
    newResponse(),
    newConversation(),
    keptStream(client),
  ]);
  const [item] = await client.conversations.items(conversation).all(1);
  const newItem = async (): Promise<string> => {
    const { data } = await client.conversations.addItems(conversation, { items: [{ role: 'user', content: text }] });
    return data[0]?.id ?? '';
  };
  const newFile = async (): Promise<string> =>
    (await client.files.create({ file: { data: new Blob([text]), name: 'boat.txt' }, purpose: 'user_data' })).id;
  const uploadedFile = await newFile();
  const fileFor = (id: string): string | Promise<string> =>
    id === 'deleteFile' || id === 'deleteGeminiFile' ? newFile() : uploadedFile;
  const newCachedContent = async (): Promise<string> => {
    const contents = [{ role: 'user', parts: [{ text: `${text} `.repeat(1_000) }] }];
    const made = await client.call('createCachedContent', { body: { model: 'gemini-3.1-pro', contents } });
    return made.name.replace('cachedContents/', '');
  };
  const part = { id: '' };
  const batches = new BatchPlaces(client);
  // One to list.
  await newJob(admin, 'listJobs');
  const newUpload = async (id: string): Promise<string> => {
    const bytes = id === 'completeUpload' ? text.length : 1_000_000;
    const asked = { bytes, filename: 'boat.txt', mime_type: 'text/plain', purpose: 'user_data' } as const;
    const { id: upload } = await client.call('createUpload', { body: asked });
    if (id !== 'completeUpload') return upload;
    const body = new FormData();
    body.append('data', new Blob([text]));
    part.id = (await client.call('createUploadPart', { path: { upload_id: upload }, body })).id;
    return upload;
  };
  const link = new URL(linkOf(picture), url);
  const element = /"ElementId":"(\w+)"/.exec(JSON.stringify(subject))?.[1] ?? '';
  const deliveries: string[] = [];
  for await (const delivery of admin.webhooks.list()) deliveries.push(delivery.id);
  let given = 0;

  return async ({ code, id = '' }) => {
    given++;
    const name = `sample-${given}`;
    const places: readonly Place[] = [
      ['http://127.0.0.1:8080', () => url],
      ['sk-test-…', () => testKey],
      ['admin-…', () => adminKey],
      [
        /task_…|task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f/g,
        async () => {
          if (id === 'getSubject') return subject.TaskId;
          if (!id.startsWith('cancel')) return task.task_id;
          return String((await client.videos.create(waiting(name))).task_id);
        },
      ],
      [/video_…|video_7d1e9c3b5a2f4d8e/g, () => (id === 'deleteVideo' ? newVideo() : video)],
      [
        'resp_gw_7c1e9b3a5f2d4c8e6a0b',
        () => (id === 'deleteResponse' ? newResponse() : id === 'createResponse' ? kept : background.id),
      ],
      ['chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b', newCompletion],
      ['conv_gw_3d5e8f0a6b4b2e7f1a9c', () => (id === 'deleteConversation' ? newConversation() : conversation)],
      ['msg_4b2e7f1a9c3d5e8f0a6b', () => (id === 'deleteConversationItem' ? newItem() : (item?.id ?? ''))],
      ['860000000000000123', () => element],
      ['file_4e1d7a0c9b8f', () => link.pathname.split('/').at(-1) ?? ''],
      ['file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d', () => fileFor(id)],
      ['file-gw4b2e7f1a9c3d5e8f0a6b', () => batches.lines()],
      ['batch_gw_7c1e9b3a5f2d4c8e6a0b', () => batches.for(id)],
      ['file_gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d', () => fileFor(id)],
      ['hk2v7q9x4m1t', () => newCachedContent()],
      ['upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b', () => newUpload(id)],
      // That of the upload before it.
      ['part_gw5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b2e', () => part.id],
      ['1790086400', () => link.searchParams.get('expires') ?? ''],
      ['9b1c7e0f5a3d4c2b8e6f1a0d9c8b7a65', () => link.searchParams.get('signature') ?? ''],
      ['stream_7Qm2vXc9TzL4kPbR8sWd1Nf6', () => stream],
      [PLACES.request_id, async () => (id === 'waiveRequest' ? await newChat() : chat).requestId ?? ''],
      [PLACES.key_id, async () => String((await admin.keys.create({ name })).key.id)],
      [PLACES.owner_id, async () => String((await admin.owners.create({ name })).id)],
      ['msg_2c1d0e9f8a7b6c5d', () => deliveries[0] ?? ''],
      ['cs_4TfQm0Zs1b9XkR7u', newSession],
      [
        'openai-second',
        async () => {
          if (id === 'deleteConfigEntry') await newEntry(name);
          return id === 'deleteConfigEntry' ? name : 'openai-second';
        },
      ],
      [
        /\bresearch\b/g,
        async () => {
          if (!/^(?:get|update|delete)Budget$/.test(id)) return 'research';
          return (await admin.createBudget({ name, scope: 'user', window: 'day', limit: 1_000 })).name;
        },
      ],
      [PLACES.job_id, async () => String(await newJob(admin, id))],
      [PLACES.change_id, async () => String(await newEntry(name))],
    ];
    let text = code;
    for (const [place, value] of places)
      if (typeof place === 'string' ? text.includes(place) : text.search(place) !== -1)
        text = text.replaceAll(place, await value());
    // Names of keys and budgets are taken once.
    if (id === 'createBudget') return text.replace(/("?name"?: ['"])/, `$1n${given}-`);
    return id === 'createKey' ? text.replace(/("?name"?: ['"])/, `$1n${given} `) : text;
  };
}

const SECOND_ACCOUNT = { vendor: 'openai', credentials: { api_key: '${OPENAI_API_KEY_2}' } };

/** A task whose vendor has not begun, so that it can be cancelled. */
function waiting(name: string): { model: string; content: { type: 'text'; text: string }[] } {
  return { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: `${name} [[twin:never]]` }] };
}

/** The id of a stream that has ended and can be resumed. */
async function keptStream(client: ReturnType<typeof createClient>): Promise<string> {
  const ask = { model: 'gpt-5.2', messages: [{ role: 'user' as const, content: 'Hello' }] };
  const stream = client.chat.stream(ask, { resumable: true });
  await stream.final();
  return (await stream.opened()).headers.get('x-gateway-stream-id') ?? '';
}

/** The first link in an answer with pictures. */
function linkOf(picture: unknown): string {
  return /"url":"([^"]+)"/.exec(JSON.stringify(picture))?.[1] ?? '';
}
