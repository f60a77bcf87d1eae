/**
 * Hanging up on what is answered whole (vectors, scores, verdicts, transcripts, pictures, speech before its first sound) is not free: an
 * account that lets its vendor finish is charged the vendor's own report, one that hangs up on the vendor all that was set aside, because
 * vendors bill what they were asked for. What was never asked for costs nothing.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { LedgerEntry } from '@model-gateway/core';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { soundFile } from './sound-files.ts';

const MODES = ['drain', 'abort'] as const;
type Mode = (typeof MODES)[number];

const MODELS = {
  vectors: 'kind: embedding, offers: [{ account: $, model: text-embedding-3-small }], price: { input: 1000 }',
  scores: 'kind: rerank, offers: [{ account: rerank-$, model: rerank-v3.5 }], price: { search_unit: 0.002 }',
  verdicts: 'kind: moderation, offers: [{ account: $, model: omni-moderation-latest }], price: { input: 1000 }',
  words:
    'kind: transcription, limits: { formats: [json], include: [] }, offers: [{ account: $, model: whisper-1 }], price: { second: 0.01 }',
  pictures:
    'kind: image, body: messages, offers: [{ account: $, model: gpt-image-1 }], price: { input: 5, output: 40 }',
  voice: 'kind: speech, offers: [{ account: $, model: gpt-4o-mini-tts }], price: { input: 10, output: 120 }',
} as const;
type Model = keyof typeof MODELS;
const CASES = (Object.keys(MODELS) as Model[]).flatMap((model) => MODES.map((mode) => ({ model, mode })));

const TEXT = 'The tide turns at noon, and the gulls wake one by one.';
const BODIES: Record<Model, (model: string) => readonly [string, JsonObject | FormData]> = {
  vectors: (model) => ['/v1/embeddings', { model, input: TEXT }],
  scores: (model) => ['/v1/rerank', { model, query: TEXT, documents: ['High tide.', 'Bills.'] }],
  verdicts: (model) => ['/v1/moderations', { model, input: TEXT }],
  words(model) {
    const form = new FormData();
    form.append('model', model);
    form.append('file', new Blob([new Uint8Array(soundFile(1))], { type: 'audio/wav' }), 'talk.wav');
    return ['/v1/audio/transcriptions', form];
  },
  pictures: (model) => ['/v1/images/generations', { model, prompt: TEXT }],
  voice: (model) => ['/v1/audio/speech', { model, input: TEXT, voice: 'alloy' }],
};

let twin: VendorTwin;
let gateway: TestGateway;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  const accounts = MODES.flatMap((mode, index) =>
    (['', 'rerank-'] as const).map(
      (prefix) =>
        `{ id: ${index * 2 + (prefix === '' ? 1 : 2)}, name: ${prefix}${mode}, vendor: ${prefix === '' ? 'openai' : 'openai-compatible'}, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' }, max_concurrency: 1, on_disconnect: ${mode} }`,
    ),
  );
  const models = CASES.map(({ model, mode }) => `{ code: ${model}-${mode}, ${MODELS[model].replaceAll('$', mode)} }`);
  gateway = await openTestGateway({
    twin,
    yaml: `extends: none\naccounts:\n${accounts.map((each) => `  - ${each}`).join('\n')}\nmodels:\n${models.map((each) => `  - ${each}`).join('\n')}\n`,
  });
});
afterEach(() => twin.faults.clear());
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

function ask(model: Model, mode: Mode, init: RequestInit = {}): Promise<Response> {
  const [path, body] = BODIES[model](`${model}-${mode}`);
  const isForm = body instanceof FormData;
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    ...init,
    headers: { authorization: `Bearer ${gateway.liveKey}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
/** How many requests wait for a place at an account that is busy. */
const queued = (): number => gateway.server.own.accounts().reduce((sum, account) => sum + account.queued, 0);
const asked = (): number => twin.requests.list().length;

/** Asks, and leaves as soon as the vendor has heard of it. */
async function hangUp(model: Model, mode: Mode): Promise<void> {
  const before = asked();
  const over = new AbortController();
  const reply = ask(model, mode, { signal: over.signal }).catch((error: unknown) => error);
  await until(() => asked() > before);
  over.abort();
  expect(await reply).toMatchObject({ name: 'AbortError' });
}

async function charges(): Promise<readonly LedgerEntry[]> {
  await gateway.server.own.flush();
  const entries = await gateway.server.parts.store.ledger.entries({ kind: 'capture', limit: 999 });
  return entries.filter(({ model }) => typeof model === 'string');
}
/** What was charged since, when there is something. */
async function chargesAfter(count: number): Promise<readonly LedgerEntry[]> {
  let all = await charges();
  for (let looks = 0; looks < 3_000 && all.length === count; looks++) {
    await settle();
    all = await charges();
  }
  return all.slice(count);
}

describe.each(CASES)('$model, $mode', ({ model, mode }) => {
  it('is charged once to whom hangs up, and the place at the vendor is free again', async () => {
    const before = (await charges()).length;
    const whole = await ask(model, mode);
    expect(whole.status).toBe(200);
    await whole.arrayBuffer();
    const [answered] = await chargesAfter(before);
    twin.faults.next('openai', '*', mode === 'drain' ? { kind: 'slow', ms: 150 } : { kind: 'hang' });
    await hangUp(model, mode);
    const left = await chargesAfter(before + 1);
    expect(left).toHaveLength(1);
    const usage = left[0]?.detail['usage'] as Usage;
    if (mode === 'drain') {
      if (model !== 'voice') expect(left[0]?.charged).toBe(answered?.charged);
      expect(usage.estimated).toBe((answered?.detail['usage'] as Usage).estimated);
    } else {
      expect(left[0]?.charged).toBeGreaterThanOrEqual(answered?.charged ?? Infinity);
      expect(usage.estimated).toBe(true);
    }
    const again = await ask(model, mode);
    expect(again.status).toBe(200);
    await again.arrayBuffer();
    expect(await chargesAfter(before + 2)).toHaveLength(1);
  });
});

describe.each(Object.keys(MODELS) as Model[])('%s that the vendor was not asked for', (model) => {
  it('costs nothing: its caller leaves while another request has the only place', async () => {
    const before = (await charges()).length;
    twin.faults.next('openai', '*', { kind: 'hang' });
    const heard = asked();
    const held = new AbortController();
    const first = ask(model, 'abort', { signal: held.signal }).catch((error: unknown) => error);
    await until(() => asked() > heard);
    const over = new AbortController();
    const waiting = ask(model, 'abort', { signal: over.signal }).catch((error: unknown) => error);
    await until(() => queued() === 1);
    over.abort();
    await waiting;
    await until(() => queued() === 0);
    held.abort();
    await first;
    expect(await chargesAfter(before)).toHaveLength(1);
    const third = await ask(model, 'abort');
    await third.arrayBuffer();
    expect(third.status).toBe(200);
    expect(await chargesAfter(before + 1)).toHaveLength(1);
    expect(asked() - heard).toBe(2);
  });
});
