/** Forms that are too much, torn or given up, and pictures paid for once: what stays behind is nothing. */
import { readdirSync } from 'node:fs';
import { request as startRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import sharp from 'sharp';

const MB = 1024 * 1024;
const background = { r: 220, g: 90, b: 60 };
const png = await sharp({ create: { width: 512, height: 512, channels: 3, background } })
  .png()
  .toBuffer();
/** Noise: as large as its pixels, and a picture by its first bytes. */
const heavy = Buffer.concat([png, Buffer.alloc(50 * MB, 7)]);

let ahead = 0;
let gateway: TestGateway;
let before: ReadonlySet<string>;

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => Date.now() + ahead,
    yaml: `extends: none\naccounts:
  - { id: 1, name: dashscope, vendor: dashscope, credentials: { api_key: '\${UNSET}' } }
  - { id: 2, name: ark, vendor: ark, credentials: { api_key: '\${UNSET}' } }
  - { id: 3, name: openai, vendor: openai, credentials: { api_key: '\${UNSET}' } }
models:
  - { code: two-homes, kind: image, body: prompt, offers: [{ account: dashscope, model: wan2.6-t2i }, { account: ark, model: doubao-seedream-4-0-250828, priority: 2 }], price: { image: 0.04 } }
  - { code: gpt-image-2, kind: image-edit, offers: [{ account: openai, model: gpt-image-2 }], price: { image: 0.04 } }`,
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  // Cool-downs of the test before are over.
  ahead += 600_000;
  before = new Set(forms());
});
afterEach(() => gateway.twin.faults.clear());

function forms(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`model-gateway-form-${process.pid}-`));
}
/** Forms of other processes on this machine come and go too: what was not there before must go soon. */
async function nothingLeft(): Promise<void> {
  for (let round = 0; forms().some((name) => !before.has(name)); round++) {
    if (round === 2_400) expect(forms().filter((name) => !before.has(name))).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function edit(fill: (form: FormData) => void): Promise<{ status: number; error: JsonObject }> {
  const form = new FormData();
  form.set('model', 'gpt-image-2');
  form.set('prompt', 'A hat');
  fill(form);
  const reply = await fetch(`${gateway.url}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}` },
    body: form,
  });
  return { status: reply.status, error: ((await reply.json()) as { error: JsonObject }).error };
}
const picture = (bytes: Buffer<ArrayBuffer> = png): Blob => new Blob([bytes], { type: 'image/png' });

describe('a form of an edit', () => {
  it.each<{ name: string; status: number; says: RegExp; param?: string; fill: (form: FormData) => void }>([
    {
      name: 'a file over the limit',
      status: 413,
      says: /image is larger than 50 MB/,
      param: 'image',
      fill: (form) => form.set('image', picture(heavy), 'a.png'),
    },
    {
      name: 'more than 64 MB in all',
      status: 413,
      says: /larger than 64 MB/,
      fill: (form) => {
        for (const index of [0, 1]) form.append('image[]', picture(heavy.subarray(0, 40 * MB)), `${index}.png`);
      },
    },
    {
      name: 'more pictures than there may be',
      status: 400,
      says: /at most|more than/,
      fill: (form) => {
        for (let index = 0; index < 18; index++) form.append('image[]', picture(), `${index}.png`);
      },
    },
    {
      name: 'more fields than there may be',
      status: 400,
      says: /more than 60 fields/,
      fill: (form) => {
        form.set('image', picture(), 'a.png');
        for (let index = 0; index < 61; index++) form.set(`field-${index}`, 'x');
      },
    },
    {
      name: 'a field that is a book',
      status: 413,
      says: /prompt is larger/,
      param: 'prompt',
      fill: (form) => {
        form.set('prompt', 'x'.repeat(300 * 1024));
        form.set('image', picture(), 'a.png');
      },
    },
    {
      name: 'a file in a field that takes none',
      status: 400,
      says: /is not a file field/,
      param: 'picture',
      fill: (form) => {
        form.set('image', picture(), 'a.png');
        form.set('picture', picture(), 'b.png');
      },
    },
    {
      name: 'a count that is none',
      status: 400,
      says: /1 to 10/,
      param: 'n',
      fill: (form) => {
        form.set('image', picture(), 'a.png');
        form.set('n', '0');
      },
    },
    {
      name: 'an unknown response_format',
      status: 400,
      says: /url|b64_json/,
      param: 'response_format',
      fill: (form) => {
        form.set('image', picture(), 'a.png');
        form.set('response_format', 'tiff');
      },
    },
  ])('$name → $status that says what is allowed; nothing stays behind', async ({ status, says, param, fill }) => {
    const asked = gateway.twin.requests.last('openai', 'edit');
    const answer = await edit(fill);
    expect(answer).toMatchObject({ status, error: { message: expect.stringMatching(says) } });
    if (param !== undefined) expect(answer.error).toMatchObject({ param });
    expect(gateway.twin.requests.last('openai', 'edit')).toBe(asked);
    await nothingLeft();
  });

  it('given up by its sender in the middle: nothing stays behind', async () => {
    const upload = startRequest(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.testKey}`,
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': String(40 * MB),
      },
    });
    upload.on('error', () => undefined);
    upload.write(
      '--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n',
    );
    upload.write(heavy.subarray(0, 8 * MB));
    while (forms().every((name) => before.has(name))) await new Promise((resolve) => setTimeout(resolve, 10));
    upload.destroy();
    await nothingLeft();
  });

  it('given up by its sender while the vendor works: the picture is paid, nothing stays behind', async () => {
    const charges = async (): Promise<number> =>
      (await gateway.server.parts.store.ledger.entries({ kind: 'capture', limit: 1_000 })).length;
    const charged = await charges();
    gateway.twin.faults.next('openai', 'edit', { kind: 'slow', ms: 300 });
    const form = new FormData();
    form.set('model', 'gpt-image-2');
    form.set('prompt', 'A hat');
    form.set('image', picture(), 'a.png');
    const hangUp = new AbortController();
    const reply = fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}` },
      body: form,
      signal: hangUp.signal,
    });
    while (gateway.twin.faults.pending() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(forms().some((name) => !before.has(name))).toBe(true);
    hangUp.abort();
    await expect(reply).rejects.toThrow();
    await nothingLeft();
    for (let round = 0; round < 2_400 && (await charges()) === charged; round++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    expect(await charges()).toBe(charged + 1);
  });
});

describe('a picture that is a vendor’s task is paid for once', () => {
  const draw = async (prompt = 'A boat') => {
    const reply = await fetch(`${gateway.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'two-homes', prompt, response_format: 'url' }),
    });
    return {
      status: reply.status,
      json: (await reply.json()) as JsonObject,
      attempts: reply.headers.get('x-gateway-attempts'),
    };
  };
  const jobs = (): number => gateway.twin.ledger.jobs('dashscope').length;
  const drawnElsewhere = (): number => gateway.twin.ledger.answers('ark').length;

  it('refused at once: the next account draws it', async () => {
    const [made, elsewhere] = [jobs(), drawnElsewhere()];
    gateway.twin.faults.next('dashscope', 'image', { kind: 'status', status: 429 });
    expect(await draw()).toMatchObject({ status: 200, attempts: '2' });
    expect([jobs(), drawnElsewhere()]).toEqual([made, elsewhere + 1]);
  });

  it.each([
    { name: 'its answer is lost', fault: { kind: 'no-answer' } as const },
    { name: 'its answer is torn', fault: { kind: 'torn-json' } as const },
    { name: 'the task fails', fault: { kind: 'fail' } as const },
    { name: 'the task is refused afterwards', fault: { kind: 'moderation' } as const },
    { name: 'the vendor loses the task', prompt: 'A boat [[twin:lost]]' },
  ])('once the vendor may have begun, nobody else is asked: $name', async ({ fault, prompt }) => {
    const [made, elsewhere] = [jobs(), drawnElsewhere()];
    if (fault !== undefined) gateway.twin.faults.next('dashscope', 'image', fault);
    const answer = await draw(prompt);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(gateway.twin.faults.pending()).toBe(0);
    expect([jobs(), drawnElsewhere()]).toEqual([made + 1, elsewhere]);
  });
});
