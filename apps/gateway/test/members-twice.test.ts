/** A member that is there twice: the gateway and a vendor could each read another one of the two. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIVE_KEY, openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => (gateway = await openTestGateway()));
afterAll(() => gateway.close());

const MESSAGES = '"messages":[{"role":"user","content":"Hello"}]';
const LARGE = `"metadata":{"note":"${'x'.repeat(300_000)}"}`;

it.each([
  ['at the top', `{"model":"gpt-5.2","n":9,${MESSAGES},"n":1}`, 'n'],
  ['in a large body', `{"model":"gpt-5.2","n":9,${MESSAGES},${LARGE},"n":1}`, 'n'],
  ['written in another way', `{"model":"gpt-5.2","n":9,${MESSAGES},"\\u006e":1}`, 'n'],
  [
    'within a tool',
    `{"model":"gpt-5.2",${MESSAGES},"tools":[{"type":"function","function":{"name":"a","name":"b"}}]}`,
    'name',
  ],
  ['the model', `{"model":"gpt-5.2","model":"gpt-5.2-pro",${MESSAGES}}`, 'model'],
])('%s: a 400 names it, and nobody is asked', async (_name, body, member) => {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' },
    body,
  });
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({
    error: {
      type: 'invalid_request_error',
      param: member,
      message: `the body has an object with the member '${member}' twice; send it once`,
    },
  });
  expect(reply.headers.get('x-gateway-account')).toBeNull();
});

it('the same name in two objects, or in a text, is nothing of the kind', async () => {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' },
    body: '{"model":"gpt-5.2","messages":[{"role":"user","content":"{\\"n\\":1,\\"n\\":2}: a"},{"role":"user","content":"b"}]}',
  });
  expect(reply.status).toBe(200);
});
