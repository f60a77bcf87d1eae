import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addRun, clearRuns, MOST_RUNS, readRuns, removeRun, storable, storageOf, type Run } from './history.ts';

const STORAGE = 'playground.runs.key.1';
let stored: Map<string, string>;
let room: number;

beforeEach(() => {
  stored = new Map();
  room = Infinity;
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (value.length > room) throw new Error('no room');
      stored.set(name, value);
    },
    removeItem: (name: string) => stored.delete(name),
  });
});
afterEach(() => vi.unstubAllGlobals());

const run = (id: string, values: Run['values'] = {}): Omit<Run, 'at'> => ({
  id,
  kind: 'chat',
  model: 'gpt-5.2',
  title: id,
  values,
});
const ids = (): readonly string[] => readRuns(STORAGE).map(({ id }) => id);

describe('the history', () => {
  it('has the newest first, each run once', () => {
    addRun(STORAGE, run('a'));
    addRun(STORAGE, run('b'));
    addRun(STORAGE, run('a', { 'chat.text': 'more' }));
    expect(ids()).toEqual(['a', 'b']);
    expect(readRuns(STORAGE)[0]?.values).toEqual({ 'chat.text': 'more' });
    removeRun(STORAGE, 'a');
    expect(ids()).toEqual(['b']);
    clearRuns(STORAGE);
    expect(stored.size).toBe(0);
  });

  it('has so many at most, and so much at most', () => {
    for (let at = 0; at < MOST_RUNS + 10; at++) addRun(STORAGE, run(String(at), { text: 'x'.repeat(20_000) }));
    expect(ids()[0]).toBe(String(MOST_RUNS + 9));
    expect(ids().length).toBeLessThan(MOST_RUNS);
    expect(stored.get(STORAGE)?.length).toBeLessThanOrEqual(400_000);
    clearRuns(STORAGE);
    for (let at = 0; at < MOST_RUNS + 10; at++) addRun(STORAGE, run(String(at)));
    expect(ids().length).toBe(MOST_RUNS);
  });

  it('keeps of a run that is too long that it was', () => {
    addRun(STORAGE, run('long', { text: 'x'.repeat(40_000) }));
    expect(readRuns(STORAGE)).toMatchObject([{ id: 'long', values: {} }]);
  });

  it('goes on where there is no room, and takes what is no list of runs for none', () => {
    room = 0;
    addRun(STORAGE, run('a'));
    expect(ids()).toEqual([]);
    for (const text of ['{', '{}', '[1, null, {"id": 1}]', 'null']) {
      stored.set(STORAGE, text);
      expect(readRuns(STORAGE)).toEqual([]);
    }
  });

  it('holds no media, no keys, and no address that is called back', () => {
    const values = {
      'video.files': [
        { name: 'a.png', url: 'data:image/png;base64,AAAA' },
        { name: 'kept', url: 'https://a.example/b' },
      ],
      'speech.sounds': [{ url: 'blob:http://x/1', text: 'hello' }],
      'video.values': { callback_url: 'https://hooks.example/?token=1', seed: 1 },
      'chat.text': 'my key is sk-live-0123456789abcdef, keep it',
    };
    expect(storable(values)).toEqual({
      'video.files': [{ name: 'kept', url: 'https://a.example/b' }],
      'speech.sounds': [],
      'video.values': { seed: 1 },
      'chat.text': 'my key is sk-…, keep it',
    });
    addRun(STORAGE, { ...run('a'), title: 'sk-live-0123456789abcdef' });
    expect(stored.get(STORAGE)).not.toContain('0123456789');
  });

  it.each([
    ['sk-0123456789', 'sk-…'],
    [`admin-${'aB3_'.repeat(10)}xyz`, 'admin-…'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_…'],
    [`AIza${'x1-_'.repeat(9)}`, 'AIza…'],
    ['AKIAIOSFODNN7EXAMPLE', 'AKIA…'],
    ['hf_abcdefghijklmnopqrstuvwxyz012345', 'hf_…'],
    ['gsk_abcdefghijklmnopqrstuvwxyz012345', 'gsk_…'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'ghp_…'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 'eyJ…'],
    ['the admin-dashboard of AIzawa, hf_model and whsec_', 'the admin-dashboard of AIzawa, hf_model and whsec_'],
  ])('of %s holds %s', (text, held) => {
    expect(storable(`a ${text}, b`)).toBe(`a ${held}, b`);
  });

  it('holds no addresses of pictures that were made, which sign whoever has them in', () => {
    const made = [[{ url: 'https://a.example/b.png?sig=1', prompt: 'p' }]];
    expect(storable({ 'image.made': made, 'edit.made': made, 'edit.prompt': 'p' })).toEqual({ 'edit.prompt': 'p' });
  });

  it('is of each person apart, of each key where nobody is named, and of nobody without either', () => {
    const who = (person: string | null, id: number | null) =>
      ({ session: { signed_in_as: person }, key: id === null ? null : { id } }) as Parameters<typeof storageOf>[0];
    const names = [who('ann@a.example', 1), who('bob@a.example', 1), who(null, 1), who(null, 2)].map((each) =>
      storageOf(each),
    );
    expect(new Set(names).size).toBe(4);
    expect(storageOf(who(null, null))).toBeUndefined();
    expect(storageOf(null)).toBeUndefined();
    expect(storageOf(who('ann@a.example', 1), 'requests.filters')).toBe('requests.filters.person.ann@a.example');
  });
});
