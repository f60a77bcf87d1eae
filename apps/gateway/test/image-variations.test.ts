/** Variations with OpenAI's own SDK: an edit whose instruction is the gateway's. */
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { APIError, toFile } from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
let gateway: TestGateway;
let openai: OpenAI;
beforeAll(async () => {
  gateway = await openTestGateway();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

const picture = () => toFile(Buffer.from(PIXEL, 'base64'), 'picture.png', { type: 'image/png' });
const asked = (): number => gateway.twin.ledger.totals().answers;

async function told(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  return error instanceof APIError ? error.message : `no refusal: ${JSON.stringify(error)}`;
}

it.each(['gpt-image-2', 'doubao-seedream-4-5'])(
  '%s is asked to vary the picture, at the price of an edit',
  async (model) => {
    const image = await picture();
    const ask = { model, image, response_format: 'b64_json' } as const;
    const { data: varied, response } = await openai.images.createVariation(ask).withResponse();
    expect(varied.data?.map((each) => typeof each.b64_json)).toEqual(['string']);
    expect(gateway.twin.requests.last()?.body).toContain('Make a variation of this picture');
    const prompt =
      'Make a variation of this picture: another picture with the same subject, style, colours and composition, different in its details.';
    const edit = await openai.images.edit({ ...ask, image: await picture(), prompt }).withResponse();
    expect(Number(response.headers.get('x-gateway-cost'))).toBeGreaterThan(0);
    expect(response.headers.get('x-gateway-cost')).toBe(edit.response.headers.get('x-gateway-cost'));
  },
);

it('as many as are asked for', async () => {
  const varied = await openai.images.createVariation({ model: 'gpt-image-2', image: await picture(), n: 2 });
  expect(varied.data).toHaveLength(2);
});

it('words, a mask, and no picture are refused before anybody is asked', async () => {
  const before = asked();
  const image = await picture();
  const ask = { model: 'gpt-image-2', image };
  expect(await told(openai.images.createVariation({ ...ask, prompt: 'Bluer' } as typeof ask))).toMatch(
    /^400 prompt: .*edits/,
  );
  expect(await told(openai.images.createVariation({ ...ask, mask: await picture() } as typeof ask))).toMatch(
    /^400 mask: /,
  );
  expect(await told(openai.images.createVariation({ model: 'gpt-image-2' } as typeof ask))).toMatch(/^400 image /);
  expect(await told(openai.images.createVariation({ ...ask, model: 'gpt-5.2' }))).toMatch(/^4\d\d /);
  expect(asked()).toBe(before);
});
