/** What the types of bodies take and refuse: checked by the compiler, as each refusal is expected at its line. And what is sent of them. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import ts from 'typescript';
import { createClient, type ChatToolCall, type Client, type Schemas, type VideoModel } from './index.ts';
import { startScriptedServer, type ScriptedServer } from './testing/scripted-server.ts';

let server: ScriptedServer;
let client: Client;
beforeAll(async () => {
  server = await startScriptedServer();
  client = createClient({ baseUrl: server.url, apiKey: 'sk-test-0', maxRetries: 0 });
});
afterAll(() => server.close());

const messages = [{ role: 'user' as const, content: 'Hello' }];

/** Never called: the compiler reads it. Each refusal stands at the line that is wrong, not somewhere in the call. */
export async function taken(): Promise<unknown[]> {
  const content = [{ type: 'text' as const, text: 'a boat' }];
  const own: string = JSON.parse('"a-model"') as string;
  return [
    client.videos.create({ model: 'doubao-seedance-2-0', content, duration: 5, ratio: '16:9' }),
    client.videos.create({ model: 'doubao-seedance-2-0', content: [{ type: 'text', text: 'a boat' }] }),
    client.videos.create({ model: 'veo-3.1', prompt: 'a boat', imageUrls: ['https://a.example/b.png'] }),
    client.videos.create({ model: 'veo-3.1', prompt: 'a boat', extra: { personGeneration: 'dont_allow' } }),
    client.videos.create({ model: 'happyhorse-1.0-t2v', input: { prompt: 'a boat' }, parameters: { duration: 5 } }),
    client.videos.create({ model: 'kling-v3-omni', prompt: 'a boat', file_infos: [{ Type: 'Url', Url: 'u' }] }),
    client.videos.create({ model: 'sora-2', prompt: 'a boat', seconds: '4', size: '1280x720' }),
    client.videos.create({ model: 'a-row-of-my-own', prompt: 'a boat', seconds: 4 }),
    client.videos.create({ model: 'a-row-of-my-own', content }),
    client.videos.create({ model: own, prompt: 'a boat', duration: 6 }),
    client.videoObjects.create({ model: 'veo-3.1', prompt: 'a boat', seconds: '8' }),
    client.videoObjects.create({ model: 'doubao-seedance-2-0', content }),
    client.videoObjects.create({ model: 'sora-2', prompt: 'a boat', input_reference: { path: 'cat.png' } }),
    client.images.generate({
      model: 'qwen-image-2.0',
      input: { messages: [{ role: 'user', content: [{ text: 'x' }] }] },
    }),
    client.images.generate({ model: 'doubao-seedream-4-5', prompt: 'a boat', size: '2K', extra: { new_field: 1 } }),
    client.images.edit({ model: 'gpt-image-2', prompt: 'x', image: { path: 'cat.png' }, extra: { moderation: 'low' } }),
    client.speech.create({ model: 'mimo-v2.5-tts', input: 'tide', voice: 'Mia', speed: 1.5 }),
    client.embeddings.create({ model: 'text-embedding-v4', input: ['a', 'b'], dimensions: 64, extra: { own: 1 } }),
    client.embeddings.create({ model: own, input: [1, 2], encoding_format: 'base64' }),
    client.embeddings.ofContent('gemini-embedding-001', {
      content: { parts: [{ text: 'x' }] },
      taskType: 'CLUSTERING',
    }),
    client.moderations.create({ input: ['a', 'b'] }),
    client.rerank.create({ model: 'rerank-v3.5', query: 'q', documents: ['a', { text: 'b' }], top_n: 1 }),
    client.chat.create({ model: 'qwen3-max', messages, extra: { enable_thinking: true } }),
    client.chat.create({ model: 'mimo-v2.5-tts', messages, audio: { format: 'wav' } }),
    client.messages.create({ model: 'claude-haiku-4-5', messages, max_tokens: 5, extra: { context_management: {} } }),
    client.responses.create({ model: 'gpt-5.2', input: 'Hello', extra: { prompt_cache_key: 'k' } }),
    client.contents.generate('gemini-2.5-flash', { contents: [{ parts: [{ text: 'x' }] }], extra: { labels: {} } }),
  ];
}

export async function refused(): Promise<void> {
  const content = [{ type: 'text' as const, text: 'a boat' }];
  // @ts-expect-error a misspelt field
  await client.embeddings.create({ model: 'text-embedding-v4', input: 'a', dimension: 64 });
  // @ts-expect-error a text where a number belongs
  await client.embeddings.create({ model: 'text-embedding-v4', input: 'a', dimensions: '64' });
  // @ts-expect-error what is needed is missing
  await client.rerank.create({ model: 'rerank-v3.5', documents: ['a'] });
  // @ts-expect-error a misspelt field
  await client.images.generate({ model: 'doubao-seedream-4-5', prompt: 'a boat', sze: '2K' });
  // @ts-expect-error a text where a number belongs
  await client.videos.create({ model: 'doubao-seedance-2-0', content, duration: '5' });
  // @ts-expect-error and for a model that is not built in, too
  await client.videos.create({ model: 'a-row-of-my-own', content, duration: '5' });
  // @ts-expect-error nor in a family where it looks like another's field
  await client.videos.create({ model: 'a-row-of-my-own', prompt: 'a boat', duration: '5' });
  // @ts-expect-error the body of another family
  await client.videos.create({ model: 'veo-3.1', content });
  // @ts-expect-error a field of another family
  await client.videos.create({ model: 'veo-3.1', prompt: 'a boat', duration: 8 });
  // @ts-expect-error fields of two families
  await client.videos.create({ model: 'a-row-of-my-own', prompt: 'a boat', content });
  // @ts-expect-error what is needed is missing
  await client.videos.create({ model: 'sora-2' });
  // @ts-expect-error a misspelt field of an item
  await client.videos.create({ model: 'doubao-seedance-2-0', content: [{ type: 'text', txt: 'a boat' }] });
  // @ts-expect-error an unknown word
  await client.videos.create({ model: 'doubao-seedance-2-0', content: [{ type: 'txt', text: 'a boat' }] });
  // @ts-expect-error a misspelt parameter
  await client.videos.create({ model: 'happyhorse-1.0-t2v', input: { prompt: 'a' }, parameters: { durtion: 5 } });
  // @ts-expect-error the shape of another family
  await client.videoObjects.create({ model: 'veo-3.1', content });
  // @ts-expect-error a misspelt field
  await client.videoObjects.create({ model: 'sora-2', prompt: 'a boat', secnds: '4' });
  // @ts-expect-error a misspelt field
  await client.images.edit({ model: 'gpt-image-2', prompt: 'x', image: { path: 'cat.png' }, qality: 'low' });
  // @ts-expect-error a misspelt field
  await client.speech.create({ model: 'mimo-v2.5-tts', input: 'tide', voice: 'Mia', sped: 2 });
  // @ts-expect-error a misspelt field
  await client.chat.create({ model: 'gpt-5.2', messages, temprature: 1 });
  // @ts-expect-error a text where a number belongs
  await client.chat.create({ model: 'gpt-5.2', messages, max_tokens: '5' });
  // @ts-expect-error a vendor's field outside `extra`
  await client.messages.create({ model: 'claude-haiku-4-5', messages, max_tokens: 5, context_management: {} });
  // @ts-expect-error a misspelt field
  await client.responses.create({ model: 'gpt-5.2', inpt: 'Hello' });
  // @ts-expect-error a misspelt field
  await client.contents.generate('gemini-2.5-flash', { contnts: [] });
  // @ts-expect-error streams are asked for by `stream`, not in passing
  await client.chat.create({ model: 'gpt-5.2', messages, extra: { stream: true } });
  // @ts-expect-error a call of a tool without its function
  const calls: readonly ChatToolCall[] = [{ id: 'a', type: 'function' }];
  await client.chat.create({ model: 'gpt-5.2', messages: [{ role: 'assistant', tool_calls: calls }] });
}

/** A round with a tool: what came in goes back as it is. */
export async function answered(): Promise<Schemas['ChatCompletion']> {
  const tools = [{ type: 'function', function: { name: 'tide', parameters: { type: 'object' } } }];
  const { choices } = await client.chat.create({ model: 'gpt-5.2', messages, tools });
  const message = choices[0]?.message;
  if (message === undefined) throw new Error('no answer');
  const results = (message.tool_calls ?? []).map((call) => {
    if (call.type !== 'function') return { role: 'tool' as const, tool_call_id: call.id, content: call.custom.input };
    const name: string = call.function.name;
    // @ts-expect-error arguments are text, to be parsed and checked
    const wrong: { city: string } = call.function.arguments;
    return { role: 'tool' as const, tool_call_id: call.id, content: `${name} ${wrong.city}` };
  });
  return client.chat.create({ model: 'gpt-5.2', messages: [...messages, message, ...results], tools });
}

describe('what is sent', () => {
  const sentBy = async (call: () => PromiseLike<unknown>): Promise<unknown> => {
    server.say({ json: { id: 'task_1', data: [], choices: [] } });
    await call();
    return JSON.parse(server.asked.at(-1)?.body.toString() ?? '');
  };

  it.each([
    {
      name: 'videos',
      call: () => client.videos.create({ model: 'veo-3.1', prompt: 'a boat', extra: { personGeneration: 'x' } }),
      body: { model: 'veo-3.1', prompt: 'a boat', personGeneration: 'x' },
    },
    {
      name: 'video objects',
      call: () => client.videoObjects.create({ model: 'sora-2', prompt: 'a boat', extra: { style: 'x' } }),
      body: { model: 'sora-2', prompt: 'a boat', style: 'x' },
    },
    {
      name: 'images, where it wins over a known field',
      call: () =>
        client.images.generate({ model: 'doubao-seedream-4-5', prompt: 'a', size: '2K', extra: { size: { w: 1 } } }),
      body: { model: 'doubao-seedream-4-5', prompt: 'a', size: { w: 1 } },
    },
    {
      name: 'chat',
      call: () => client.chat.create({ model: 'qwen3-max', messages, extra: { enable_thinking: false } }),
      body: { model: 'qwen3-max', messages, enable_thinking: false },
    },
    {
      name: 'a body without it, as it is',
      call: () => client.chat.create({ model: 'qwen3-max', messages }),
      body: { model: 'qwen3-max', messages },
    },
  ])('extra stands among the other fields: $name', async ({ call, body }) => {
    expect(await sentBy(call)).toEqual(body);
  });

  it('and in forms', async () => {
    server.say({ json: { created: 1, data: [] } });
    const image = new Blob([new Uint8Array([1])]);
    await client.images.edit({ model: 'gpt-image-2', prompt: 'x', image, extra: { moderation: 'low' } });
    const sent = server.asked.at(-1)?.body.toString() ?? '';
    expect(sent).toMatch(/name="moderation"\r\n\r\nlow/);
    expect(sent).not.toContain('name="extra"');
  });

  it('a stream stays one', async () => {
    const extra = { stream: false } as never;
    const stream = client.chat.stream({ model: 'gpt-5.2', messages, extra });
    server.say({ headers: { 'content-type': 'text/event-stream' }, text: 'data: [DONE]\n\n' });
    await stream.final().catch(() => undefined);
    expect(JSON.parse(server.asked.at(-1)?.body.toString() ?? '')).toMatchObject({ stream: true });
  });
});

describe('an editor', () => {
  const folder = dirname(fileURLToPath(import.meta.url));
  const file = join(folder, 'completed.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  /** Each version is another text of the file; what it imports stays as it is. */
  let version = 0;
  let source = '';
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : '1'),
    getScriptSnapshot: (name) => {
      const read = name === file ? source : ts.sys.readFile(name);
      return read === undefined ? undefined : ts.ScriptSnapshot.fromString(read);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
  });
  afterAll(() => service.dispose());

  /** What an editor offers at `|`. */
  function completions(text: string): string[] {
    version++;
    source = `import { createClient } from './index.ts';\nconst client = createClient();\n${text.replace('|', '')}`;
    const at = source.length - text.length + text.indexOf('|') + 1;
    return (service.getCompletionsAtPosition(file, at, {})?.entries ?? []).map(({ name }) => name);
  }

  it.each([
    { text: "client.chat.create({ model: '|', messages: [] })", has: 'gpt-5.2', lacks: 'veo-3.1' },
    { text: "client.videos.create({ model: '|' })", has: 'veo-3.1', lacks: 'gpt-5.2' },
    { text: "client.contents.generate('|', {})", has: 'gemini-2.5-flash', lacks: 'veo-3.1' },
    { text: "client.videos.create({ model: 'veo-3.1', prompt: '', | })", has: 'imageUrls', lacks: 'content' },
  ])('completes $text', ({ text, has, lacks }) => {
    const names = completions(text);
    expect(names).toContain(has);
    expect(names).not.toContain(lacks);
  });
});

export const AN_OWN_CODE: VideoModel = 'a-row-of-my-own';
