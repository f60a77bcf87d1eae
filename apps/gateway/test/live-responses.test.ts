/** A response that is kept is read and followed while it streams to its caller. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { createSseParser } from '@model-gateway/translate';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }`,
  });
});
afterAll(() => gateway.close());

const ask = (path: string, init: RequestInit = {}, key = gateway.liveKey): Promise<Response> =>
  fetch(`${gateway.url}/v1/responses${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });

/** Events as they come. */
interface Reader {
  readonly events: JsonObject[];
  readonly done: Promise<void>;
}
function readerOf(reply: Response): Reader {
  const events: JsonObject[] = [];
  const parser = createSseParser();
  const done = (async () => {
    for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>)
      for (const { data } of parser.push(Buffer.from(chunk))) events.push(JSON.parse(data) as JsonObject);
  })();
  return { events, done };
}

const begin = async (model: string, input: string, signal?: AbortSignal): Promise<Reader> =>
  readerOf(
    await ask('', {
      method: 'POST',
      body: JSON.stringify({ model, input, stream: true }),
      ...(signal !== undefined && { signal }),
    }),
  );
const idOf = ([created]: readonly JsonObject[]): string => String((created!['response'] as JsonObject)['id']);

it('is followed to its end, from its beginning and from any event', async () => {
  // Slower than anybody who asks for it meanwhile.
  gateway.twin.faults.next('openai', 'responses', { kind: 'dribble', bytesPerWrite: 4000, delayMs: 25 });
  const caller = await begin('gpt-5.2-pro', 'A long story of the sea and the tide. '.repeat(12));
  await until(() => caller.events.length > 4);
  const id = idOf(caller.events);
  const [followed, behind] = (
    await Promise.all([ask(`/${id}?stream=true`), ask(`/${id}?stream=true&starting_after=3`)])
  ).map(readerOf) as [Reader, Reader];
  await Promise.all([caller.done, followed.done, behind.done]);
  expect(caller.events.at(-1)?.['type']).toBe('response.completed');
  expect(followed.events).toEqual(caller.events);
  expect(behind.events).toEqual(caller.events.slice(4));
  expect(await (await ask(`/${id}`)).json()).toMatchObject({ id, status: 'completed' });
  // As of any other that was not asked for in the background.
  expect((await ask(`/${id}?stream=true`)).status).toBe(400);
});

it.each(['gpt-5.2-pro', 'claude-sonnet-5'])(
  'of %s is read as it is now, and ends for others when its caller hangs up',
  async (model) => {
    const leave = new AbortController();
    const caller = await begin(model, '[[twin:stall=8]] A story.', leave.signal);
    caller.done.catch(() => undefined);
    await until(() => caller.events.length > 3);
    const id = idOf(caller.events);
    expect(await (await ask(`/${id}`)).json()).toMatchObject({
      id,
      object: 'response',
      status: 'in_progress',
      store: true,
    });
    expect((await ask(`/${id}`, { method: 'DELETE' })).status).toBe(409);
    for (const query of ['', '?stream=true'])
      expect((await ask(`/${id}${query}`, {}, gateway.otherKey)).status).toBe(404);
    const follower = readerOf(await ask(`/${id}?stream=true`));
    await until(() => follower.events.length > 3);
    leave.abort();
    await follower.done;
    expect(follower.events.slice(0, 4)).toEqual(caller.events.slice(0, 4));
  },
);
