import { describe, expect, it } from 'vitest';
import { keepable } from './payload.ts';
import { storedInput } from './stored-input.ts';

describe('what is kept of the input', () => {
  it('has what the bill and the record need, and no media', () => {
    const input = {
      shape: 'content',
      body: { content: [] },
      prompt: 'p'.repeat(5000),
      images: [
        { role: 'first_frame', url: `data:image/png;base64,${'A'.repeat(100_000)}`, param: 'x' },
        { role: 'last_frame', url: 'https://media.example/a.png', param: 'y' },
      ],
      videos: [],
      audios: [],
      subjects: ['1'],
      duration: 0,
      watermark: false,
      dedupeKey: 'task_1',
      extra: { secret: 'x' },
    };
    expect(storedInput(input, { family: 'content' })).toEqual({
      shape: 'content',
      prompt: 'p'.repeat(4000),
      duration: 0,
      watermark: false,
      images: [
        { role: 'first_frame', url: '[100022 characters of media]' },
        { role: 'last_frame', url: 'https://media.example/a.png' },
      ],
      subjects: ['1'],
      family: 'content',
    });
  });
});

describe('what is kept of a payload', () => {
  const account = { credentials: { api_key: 'secret-key-1234567890' } };

  it('is the payload itself when it is small and clean', () => {
    const payload = { id: '1', status: 'succeeded', usage: { total_tokens: 0 }, error: null };
    expect(keepable(payload, account)).toEqual(payload);
  });

  it.each([
    { name: 'a text of a megabyte', payload: { status: 'done', text: 'word '.repeat(200_000) } },
    {
      name: 'a list of ten thousand',
      payload: { status: 'done', list: Array.from({ length: 10_000 }, (_, index) => `item ${index}`) },
    },
    {
      name: 'an object of ten thousand',
      payload: {
        status: 'done',
        ...Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, 'x'.repeat(50)])),
      },
    },
    {
      name: 'a nest',
      payload: { status: 'done', nest: JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as never },
    },
  ])('is cut to 64 KiB: $name', ({ payload }) => {
    const kept = keepable(payload, account);
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(65_536);
    expect(kept).toMatchObject({ status: 'done' });
  });

  it('has no secret in it', () => {
    expect(JSON.stringify(keepable({ echo: ['Bearer secret-key-1234567890'] }, account))).not.toContain('secret-key');
  });
});
