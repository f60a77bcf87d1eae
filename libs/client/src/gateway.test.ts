/** The client against a running gateway: real sockets, a real database, the vendor twin behind it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, PIXEL, WEBHOOK_SECRET, type TestGateway } from '@model-gateway/testing';
import {
  audioOf,
  createClient,
  picturesOf,
  subjectIdOf,
  TaskFailedError,
  TimeoutError,
  vectorsOf,
  verifyWebhook,
  type ChatMessage,
  type Client,
  type Schemas,
  type WebhookEvent,
} from './index.ts';

let gateway: TestGateway;
let client: Client;
beforeAll(async () => {
  gateway = await openTestGateway({
    twinOptions: { media: 'tiny', seconds: { video: 0.3, subject: 0.3, image: 0.1 } },
    yaml: 'security: { allow_private: ["127.0.0.1"] }',
  });
  client = createClient({ baseUrl: gateway.url, apiKey: gateway.testKey });
});
afterAll(() => gateway.close());

const user = (content: string) => ({ role: 'user' as const, content });
const VIDEO = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text' as const, text: 'a lighthouse' }] };

describe('chat', () => {
  it('answers the same at once and as a stream, in each format', async () => {
    const messages = [user('Say tide')];
    const body = { model: 'gpt-5.2', messages };
    const once = (await client.chat.create(body)).choices[0];
    const streamed = (await client.chat.stream(body).final()).choices[0];
    expect(once?.message.content).toContain('Say tide');
    expect(streamed?.message.content).toBe(once?.message.content);
    expect(streamed?.finish_reason).toBe(once?.finish_reason);

    const message = { model: 'claude-haiku-4-5', messages, max_tokens: 100 };
    expect((await client.messages.stream(message).final()).content).toEqual(
      (await client.messages.create(message)).content,
    );

    const response = { model: 'gpt-5.2', input: 'Say tide' };
    const textOf = ({ output }: Schemas['ResponseReply']): unknown => output.at(-1)?.content?.[0]?.text;
    const whole = textOf(await client.responses.create(response));
    expect(whole).toContain('Say tide');
    expect(textOf(await client.responses.stream(response).final())).toBe(whole);
  });

  it('reaches another vendor’s model and says what was dropped', async () => {
    const body = { model: 'claude-haiku-4-5', messages: [user('Hello')], seed: 5 };
    const { data, response } = await client.chat.create(body).withResponse();
    expect(data.choices[0]?.message.content).toContain('Hello');
    expect(response.headers.get('x-gateway-dropped')).toContain('seed');
  });

  it('gives calls of tools that go back as they came', async () => {
    const tools = [{ type: 'function', function: { name: 'tide', parameters: { type: 'object', properties: {} } } }];
    const messages: ChatMessage[] = [user('When is high tide?')];
    const body = { model: 'gpt-5.2', messages, tools, tool_choice: 'required' };
    const message = (await client.chat.create(body)).choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    if (message === undefined || call?.type !== 'function') throw new Error('no tool was called');
    expect(call.function.name).toBe('tide');
    expect(JSON.parse(call.function.arguments)).toEqual(expect.any(Object));
    const result = { role: 'tool' as const, tool_call_id: call.id, content: 'at noon' };
    const { choices } = await client.chat.create({ model: 'gpt-5.2', messages: [...messages, message, result], tools });
    expect(choices[0]?.message.content).not.toBe('');
  });

  it('throws a refusal with its code, place and request id', async () => {
    const error = await client.chat
      .create({ model: 'gpt-0', messages: [user('x')] })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'BadRequestError', status: 400, code: 'model_not_found', param: 'model' });
    expect((error as { requestId: string }).requestId).toMatch(/^req_/);
    const stranger = createClient({ baseUrl: gateway.url, apiKey: 'sk-test-nobody-0000000000' });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
    await expect(stranger.messages.create({ model: 'm', messages: [] })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(stranger.contents.generate('m', { contents: [] })).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('generateContent', () => {
  it('answers at once, as a stream, and counts', async () => {
    const body = { contents: [{ role: 'user', parts: [{ text: 'Say tide' }] }] };
    const textOf = ({ candidates }: Schemas['GenerateContentReply']): unknown =>
      candidates?.[0]?.content?.parts?.map(({ text }) => text).join('');
    const whole = textOf(await client.contents.generate('gemini-2.5-flash', body));
    expect(whole).toContain('Say tide');
    expect(textOf(await client.contents.stream('gemini-2.5-flash', body).final())).toBe(whole);
    expect((await client.contents.countTokens('gemini-2.5-flash', body)).totalTokens).toBeGreaterThan(0);
    const message = { model: 'claude-haiku-4-5', messages: [user('Say tide')] };
    expect((await client.messages.countTokens(message)).input_tokens).toBeGreaterThan(0);
  });
});

describe('pictures', () => {
  it('are generated, as links that open and as base64', async () => {
    const prompt = 'a lighthouse';
    const linked = await client.images.generate({ model: 'doubao-seedream-4-5', prompt, size: '2K' });
    const [first] = picturesOf(linked);
    const picture = await (await client.file(first?.url ?? '')).blob();
    expect(picture.type).toMatch(/^image\//);
    const embedded = await client.images.generate({
      model: 'doubao-seedream-4-5',
      prompt,
      response_format: 'b64_json',
    });
    expect(picturesOf(embedded)[0]?.b64_json).toMatch(/^[A-Za-z0-9+/]+=*$/);
  });

  it('are found in the other form too', async () => {
    const messages = [{ role: 'user', content: [{ text: 'a lighthouse' }] }];
    const result = await client.images.generate({ model: 'qwen-image-2.0', input: { messages }, parameters: {} });
    expect(result['output']).toBeDefined();
    expect(picturesOf(result)[0]?.url).toMatch(/^http/);
  });

  it('come in the background', async () => {
    const { id, status } = await client.images.createTask({ model: 'fal/flux-dev', prompt: 'a lighthouse' });
    expect(status).toBe('queued');
    expect(await client.videos.wait(id)).toMatchObject({
      status: 'SUCCESS',
      result_url: expect.stringMatching(/^http/),
    });
  });

  it('come in pieces where the model has them', async () => {
    const stream = client.images.stream({ model: 'gpt-image-2', prompt: 'a lighthouse', partial_images: 1 });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types.at(-1)).toBe('image_generation.completed');
    expect((await stream.final()).data).toHaveLength(1);
  });

  it.each([
    { name: 'a Buffer', image: () => Buffer.from(PIXEL, 'base64') },
    { name: 'a Blob', image: () => new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' }) },
    { name: 'a stream', image: () => new Blob([Buffer.from(PIXEL, 'base64')]).stream() as ReadableStream<Uint8Array> },
  ])('are edited, sent as $name', async ({ image }) => {
    const edited = await client.images.edit({ model: 'gpt-image-2', prompt: 'make it night', image: image(), n: 1 });
    expect(edited.data).toHaveLength(1);
  });
});

describe('speech', () => {
  it('is a file, events, or a chat answer', async () => {
    const body = { model: 'mimo-v2.5-tts', input: 'High tide at noon.', voice: 'Mia' };
    const reply = await client.speech.create({ ...body, response_format: 'wav' });
    expect(reply.contentType).toContain('audio/');
    expect(Buffer.from((await reply.bytes()).subarray(0, 4)).toString()).toBe('RIFF');
    expect((await client.speech.stream(body).final()).length).toBeGreaterThan(0);
    const messages = [{ role: 'assistant' as const, content: body.input }];
    const chat = await client.chat.create({ model: body.model, messages, audio: { format: 'wav', voice: 'Mia' } });
    expect(Buffer.from(audioOf(chat)?.subarray(0, 4) ?? []).toString()).toBe('RIFF');
    const pieces = client.chat.stream({ model: body.model, messages, audio: { format: 'pcm16', voice: 'Mia' } });
    expect(audioOf(await pieces.final())?.length).toBeGreaterThan(0);
  });
});

describe('vectors, verdicts and scores', () => {
  it('vectors are the same numbers however they come', async () => {
    const body = { model: 'text-embedding-3-small', input: ['High tide at noon.', 'Low tide at six.'], dimensions: 16 };
    const numbers = vectorsOf(await client.embeddings.create(body));
    const bytes = vectorsOf(await client.embeddings.create({ ...body, encoding_format: 'base64' }));
    expect(numbers.map(({ length }) => length)).toEqual([16, 16]);
    expect(bytes).toEqual(numbers.map((vector) => vector.map(Math.fround)));
    const content = { parts: [{ text: body.input[0] ?? '' }] };
    const { embedding } = await client.embeddings.ofContent(body.model, { content, outputDimensionality: 16 });
    expect(embedding.values).toEqual(numbers[0]);
    const requests = [{ content, outputDimensionality: 16 }];
    const { embeddings } = await client.embeddings.ofContents(body.model, { requests });
    expect(embeddings.map(({ values }) => values)).toEqual([numbers[0]]);
    const typed = await client.embeddings.byType({
      model: 'embed-v4.0',
      texts: body.input,
      embedding_types: ['float', 'int8'],
      output_dimension: 256,
    });
    expect(typed.embeddings).toMatchObject({
      float: [expect.any(Array), expect.any(Array)],
      int8: [expect.any(Array), expect.any(Array)],
    });
  });

  it('verdicts and scores', async () => {
    const { results } = await client.moderations.create({ input: ['High tide.', 'You idiot.'] });
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
    const query = 'When is high tide?';
    const ranked = await client.rerank.create({
      model: 'qwen3-rerank',
      query,
      documents: ['Bills.', 'High tide at noon.'],
    });
    expect(ranked.results[0]?.index).toBe(1);
  });
});

describe('subjects', () => {
  it('are made, waited for, and named in a video', async () => {
    const subject = await client.subjects
      .create({
        element_name: 'Mira',
        element_description: 'young woman, red coat',
        reference_type: 'image_refer',
        element_image_list: {
          frontal_image: 'https://media.example.com/front.png',
          refer_images: [{ image_url: 'https://media.example.com/side.png' }],
        },
      })
      .wait();
    const id = subjectIdOf(subject);
    expect(id).toMatch(/^\d+$/);
    const video = await client.videos.create({
      model: 'kling-v3-omni',
      prompt: 'she walks along the pier',
      subject_infos: [{ Id: id ?? '' }],
    });
    expect(video.status).toBe('queued');
  });
});

describe('models', () => {
  it('are listed with what can be asked of them', async () => {
    const { data } = await client.models.list();
    expect(data.find(({ id }) => id === 'gpt-5.2')).toMatchObject({ kind: 'chat', simulated: true });
    expect(await client.models.get('doubao-seedance-2-0-fast')).toMatchObject({ kind: 'video', formats: ['content'] });
    await expect(client.models.get('gpt-0')).rejects.toMatchObject({ status: 404 });
  });

  it('are iterated as other lists are, with one request', async () => {
    const { data } = await client.models.list();
    const call = client.models.list();
    const seen: string[] = [];
    for await (const { id } of call) seen.push(id);
    expect(seen).toEqual(data.map(({ id }) => id));
    expect((await call).data).toHaveLength(seen.length);
  });
});

describe('video', () => {
  it('is waited for, with its progress', async () => {
    const seen: string[] = [];
    const onProgress = ({ status, progress }: Schemas['VideoTask']): void => void seen.push(`${status} ${progress}`);
    const task = await client.videos.create(VIDEO).wait({ onProgress });
    expect(task.status).toBe('SUCCESS');
    expect(task.result_url).toMatch(/^http/);
    expect(seen.at(-1)).toBe('SUCCESS 100%');
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('can be waited for again after an error, by the id that the error carries', async () => {
    const error = await client.videos
      .create(VIDEO)
      .wait({ timeoutMs: 1 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    const { taskId = '' } = error as TimeoutError;
    expect(await client.videos.resume(taskId)).toMatchObject({ task_id: taskId, status: 'SUCCESS' });
    expect(await client.videoObjects.resume(taskId)).toMatchObject({ id: taskId, status: 'completed' });

    const reason = new Error('enough');
    const call = client.videos.create(VIDEO);
    await call;
    await expect(call.wait({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect((await client.videos.resume((await call).id)).status).toBe('SUCCESS');
  });

  it('is the acknowledgement when awaited, and is waited for by long polls later', async () => {
    const receipt = await client.videos.create(VIDEO);
    expect(receipt).toMatchObject({ object: 'video', status: 'queued', progress: 0, model: VIDEO.model });
    expect((await client.videos.wait(receipt.id)).task_id).toBe(receipt.id);
    expect((await client.videos.get(receipt.id)).status).toBe('SUCCESS');
    const file = await (await client.videos.download(receipt.id)).bytes();
    expect(Buffer.from(file.subarray(4, 8)).toString()).toBe('ftyp');
    const part = await client.videos.download(receipt.id, { range: 'bytes=4-7' });
    expect(part.response.status).toBe(206);
    expect(Buffer.from(await part.bytes()).toString()).toBe('ftyp');
    const stranger = await client.file((await client.videos.get(receipt.id)).result_url);
    expect((await stranger.bytes()).length).toBe(file.length);
  });

  it('that fails throws with its reason', async () => {
    const content = [{ type: 'text' as const, text: 'a cat [[twin:fail]]' }];
    const error = await client.videos
      .create({ ...VIDEO, content })
      .wait()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskFailedError);
    expect((error as TaskFailedError<Schemas['VideoTask']>).task.fail_reason).toBe((error as Error).message);
  });

  it('is started once for one call, however often the answer is lost', async () => {
    const before = gateway.twin.ledger.jobs('ark').length;
    let cuts = 2;
    const losing = createClient({
      baseUrl: gateway.url,
      apiKey: gateway.testKey,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (init.method === 'POST' && cuts-- > 0) throw new TypeError('fetch failed');
        return response;
      },
    });
    const receipt = await losing.videos.create(VIDEO);
    expect(cuts).toBeLessThan(0);
    expect(gateway.twin.ledger.jobs('ark').length).toBe(before + 1);
    expect((await client.videos.wait(receipt.id)).status).toBe('SUCCESS');
  });

  it('is listed, page by page', async () => {
    const all = await client.videos.list({ limit: 2 }).all();
    expect(all.length).toBeGreaterThan(2);
    expect(new Set(all.map(({ task_id }) => task_id)).size).toBe(all.length);
    const done = await client.videos.list({ status: 'FAILURE' }).all();
    expect(done.map(({ status }) => status)).toEqual(['FAILURE']);
    const view = await client.videoObjects.list({ limit: 2 }).all();
    expect(view.map(({ id }) => id)).toEqual(all.map(({ task_id }) => task_id));
  });

  it('is OpenAI’s object too, and can be deleted', async () => {
    const video = await client.videoObjects.create({ model: VIDEO.model, prompt: 'a lighthouse', seconds: '5' }).wait();
    expect(video).toMatchObject({ object: 'video', status: 'completed', progress: 100 });
    expect(await client.videoObjects.delete(video.id)).toMatchObject({ deleted: true });
    await expect(client.videoObjects.get(video.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  it('tells its end to a webhook whose signature checks out', async () => {
    const arrived = Promise.withResolvers<WebhookEvent>();
    const receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.writeHead(204).end();
        verifyWebhook(body, request.headers, WEBHOOK_SECRET).then(arrived.resolve, arrived.reject);
      });
    });
    await new Promise<void>((resolve) => {
      receiver.listen(0, '127.0.0.1', resolve);
    });
    const { port } = receiver.address() as AddressInfo;
    const { id } = await client.videos.create({ ...VIDEO, callback_url: `http://127.0.0.1:${port}/` });
    const event = await arrived.promise;
    receiver.close();
    expect(event).toMatchObject({ type: 'video.task.succeeded', data: { task_id: id, status: 'SUCCESS' } });
  });
});
