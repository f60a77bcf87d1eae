import { describe, expect, it } from 'vitest';
import type { Json } from '@model-gateway/contracts';
import { assembled } from './assembled.ts';
import { keptScanner, reduced, type Reducing } from './reduced.ts';
import { wordsOf } from './words.ts';

const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwx';
const keep = (value: Json, given: Partial<Reducing> = {}) =>
  reduced(value, { scanner: keptScanner(), secrets: [], limit: 10_000, ...given });

describe('a body as it may be kept', () => {
  it.each<[string, Json, Json]>([
    ['nothing', null, null],
    ['what is no text', { a: 0, b: false, c: null, d: [] }, { a: 0, b: false, c: null, d: [] }],
    ['a secret in a text', [`x ${SECRET} y`], ['x [api_key] y']],
    ['a secret as a name', { 'jane@example.com': 1 }, { '[email]': 1 }],
    ['a card as a number', { card: 4111111111111111, at: 1795385367 }, { card: '[credit_card]', at: 1795385367 }],
    ['a card in JSON', { arguments: '{"card":4111111111111111}' }, { arguments: '{"card":0}' }],
    ['a data URL in the middle', 'see ![x](data:image/png;base64,AAAA) it', 'see ![x]([image/png, 3 bytes]) it'],
    ['sound', { input_audio: { data: 'AAAAAAAA', format: 'wav' } }, { input_audio: { data: '[wav, 6 bytes]', format: 'wav' } }], // prettier-ignore
    ['a picture', { b64_json: 'A'.repeat(400) }, { b64_json: '[image, 300 bytes]' }],
    ['bytes of anything', { signature: 'A'.repeat(400) }, { signature: '[base64, 300 bytes]' }],
    ['a document that is text', { type: 'text', media_type: 'text/plain', data: 'Hello' }, { type: 'text', media_type: 'text/plain', data: 'Hello' }], // prettier-ignore
    ['vectors', { embedding: Array(100).fill(0.1) as number[] }, { embedding: '[100 numbers]' }],
    ['a long text of few letters', 'a b'.repeat(200), 'a b'.repeat(200)],
  ])('%s', (_, value, kept) => {
    expect(keep(value)).toEqual({ value: kept, isCut: false });
  });

  it('has no credential that came with the request, whatever it looks like', () => {
    expect(keep(['my pass-word_77 is pass-word_77'], { secrets: ['pass-word_77'] }).value).toEqual([
      'my [api_key] is [api_key]',
    ]);
  });

  it('is cut at every length without a half of a secret', () => {
    const text = `${'a '.repeat(40)}${SECRET} jane.doe@example.com ${'b '.repeat(40)}`;
    for (let limit = 1; limit < 200; limit++) {
      const { value } = keep(text, { limit });
      expect(String(value)).not.toMatch(/sk-|proj|jane|doe|example/);
      expect(String(value).length).toBeLessThan(limit + 40);
    }
  });

  it('is cut where a key that has no end begins', () => {
    const { value, isCut } = keep(`Look: -----BEGIN RSA PRIVATE KEY-----\n${'MIIEow+/ '.repeat(9_000)}`, {
      limit: 1_000,
    });
    expect(isCut).toBe(true);
    expect(value).toMatch(/^Look: .{0,80}$/);
  });

  it('never grows with what it is given', () => {
    let deep: Json = 'x';
    for (let depth = 0; depth < 5_000; depth++) deep = [deep];
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`member ${at}`, at]));
    const broad = { messages: Array.from({ length: 9_000 }, (_, at) => ({ role: 'user', content: `${at}` })) };
    for (const value of [deep, wide, broad, 'x'.repeat(1e6)]) {
      const kept = keep(value, { limit: 2_000 });
      expect(kept.isCut || JSON.stringify(kept.value).length < 100).toBe(true);
      expect(JSON.stringify(kept.value).length).toBeLessThan(6_000);
    }
    expect(JSON.stringify(keep(broad, { limit: 2_000 }).value)).toContain('8999');
  });
});

describe('an answer out of what was sent', () => {
  const sent = { asked: {}, requestId: 'req_1', at: 5_000, model: 'm' };
  const of = (contentType: string, text: string, dialect?: 'openai-chat') =>
    assembled({ ...sent, dialect, contentType, bytes: Buffer.from(text), size: Buffer.byteLength(text) });
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`; // prettier-ignore

  it.each<[string, string, string, Json]>([
    ['nothing', 'application/json', '', null],
    ['JSON', 'application/json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['broken JSON', 'application/json', '{"a":', '[application/json, 5 bytes]'],
    ['sound', 'audio/mpeg', 'xxxx', '[audio/mpeg, 4 bytes]'],
    ['events of no chat', 'text/event-stream', 'event: a\ndata: {"b":1}\n\ndata: [DONE]\n\n', [{ b: 1 }]],
  ])('%s', (_, type, text, answer) => {
    expect(of(type, text)).toEqual(answer);
  });

  it('is whole where the stream was, and goes as far as it went', () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":' } };
    const cut = of('text/event-stream', chunk({ role: 'assistant', content: 'Hel' }) + chunk({ content: 'lo' }) + chunk({ tool_calls: [call] }) + 'data: {"id":"c","obj', 'openai-chat'); // prettier-ignore
    expect(cut).toMatchObject({ id: 'c', choices: [{ message: { content: 'Hello', tool_calls: [{ function: { name: 'f', arguments: '{"unfinished":"{\\"a\\":"}' } }] } }] }); // prettier-ignore
    expect(wordsOf('openai-chat', { messages: [{ role: 'user', content: 'Hi' }] }, cut)).toEqual(
      expect.arrayContaining([{ role: 'user', text: 'Hi' }, expect.objectContaining({ role: 'assistant' })]),
    );
    expect(of('text/event-stream', 'data: what is this\n\n', 'openai-chat')).toBeDefined();
  });

  it('words are read of bodies that are no bodies', () => {
    for (const body of [null, 1, 'x', [], { messages: 3 }, { messages: [3, null, 'cut', { role: 4 }] }])
      for (const dialect of ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const)
        expect(Array.isArray(wordsOf(dialect, body, body))).toBe(true);
  });
});
