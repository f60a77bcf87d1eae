/** What a caller is written, and when, while a picture of a stream is being kept. */
import { expect, it } from 'vitest';
import { dialects, type ChatEvent, type ImagePart } from '@model-gateway/translate';
import { createPictureStream, createShowPicture, showPictures, type ShowPicture } from './shown-pictures.ts';

const PICTURE: ImagePart = { type: 'image', source: { type: 'base64', mime: 'image/png', data: 'AAAA' } };
const shownAs = (name: string): ImagePart => ({
  type: 'image',
  source: { type: 'url', url: `https://files.test/${name}` },
});
const CONTEXT = {
  model: 'm',
  request: { turns: [], extra: {} } as never,
  body: {},
  id: '1',
  now: 1,
  requestId: 'r',
};
const text = (block: number, said: string): ChatEvent[] => [
  { type: 'text-start', block, choice: 0 },
  { type: 'delta', block, text: said },
  { type: 'block-stop', block },
];
const image = (block: number): ChatEvent => ({ type: 'image', block, choice: 0, part: PICTURE });

/** A stream to a caller of messages; each picture is kept when the test says so. */
function opened({ full = false }: { readonly full?: boolean } = {}) {
  const kept: (() => void)[] = [];
  const written: string[] = [];
  let drains = 0;
  let read = (): void => undefined;
  const show: ShowPicture = () =>
    new Promise((resolve) => {
      const name = String(kept.length);
      kept.push(() => resolve(shownAs(name)));
    });
  const caller = new AbortController();
  const { dialect, sink, settled } = createPictureStream(dialects['anthropic-messages'], {
    show,
    signal: caller.signal,
    sink: {
      write: (chunk) => {
        written.push(String(chunk));
        return !full;
      },
      drained: () => {
        drains++;
        return new Promise((resolve) => (read = resolve));
      },
    },
  });
  const encoder = dialect.streamEncoder(CONTEXT);
  const took: boolean[] = [];
  return {
    kept,
    took,
    sink,
    settled,
    caller,
    drains: () => drains,
    read: () => read(),
    push(...events: readonly ChatEvent[]) {
      const said = events.map((event) => encoder.push(event)).join('');
      if (said !== '') took.push(sink.write(said));
    },
    /** The words that have come, pictures by their links; pings stand as dots. */
    said: () =>
      written
        .join('')
        .split('\n')
        .map((line) => (line.startsWith('data: ') ? line.slice(6) : ''))
        .map((data) => /"text_delta","text":"(.*?)"/.exec(data)?.[1] ?? (data.includes('"ping"') ? '.' : ''))
        .join(''),
    raw: () => written.join(''),
  };
}
/** Lets everything that is ready run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('what stands before a picture is written at once, what stands behind it when it is kept, in order', async () => {
  const stream = opened();
  stream.push(...text(0, 'before '), image(1), ...text(2, ' behind'));
  expect(stream.said()).toBe('before .');
  stream.push(...text(3, ' more'));
  expect(stream.said()).toBe('before .');
  stream.kept[0]!();
  await stream.settled();
  expect(stream.said()).toBe('before .![image](https://files.test/0) behind more');
  stream.push(...text(4, ' end'));
  expect(stream.said()).toMatch(/ more end$/);
  const indexes = [...stream.raw().matchAll(/content_block_start","index":(\d+)/g)].map(([, index]) => Number(index));
  expect(indexes).toEqual([0, 1, 2, 3, 4]);
});

it('two pictures in one read are kept one after the other, and the end comes last', async () => {
  const stream = opened();
  stream.push(
    image(0),
    ...text(1, ' then '),
    image(2),
    { type: 'finish', choice: 0, stop: 'stop' },
    {
      type: 'end',
    },
  );
  expect(stream.kept).toHaveLength(1);
  stream.kept[0]!();
  await turn();
  expect(stream.kept).toHaveLength(2);
  expect(stream.raw()).not.toContain('message_stop');
  let over = false;
  const settled = stream.settled().then(() => (over = true));
  await turn();
  expect(over).toBe(false);
  stream.kept[1]!();
  await settled;
  expect(stream.said()).toMatch(
    /^\.!\[image\]\(https:\/\/files.test\/0\) then \.?!\[image\]\(https:\/\/files.test\/1\)$/,
  );
  expect(stream.raw().trimEnd()).toMatch(/"message_stop"\}$/);
});

it('a vendor that goes on is held up while a picture is kept, and no longer', async () => {
  const stream = opened();
  stream.push(image(0));
  expect(stream.took).toEqual([false]);
  let drained = false;
  const waiting = stream.sink.drained().then(() => (drained = true));
  await turn();
  expect(drained).toBe(false);
  stream.kept[0]!();
  await waiting;
  stream.push(...text(1, 'x'));
  expect(stream.took).toEqual([false, true]);
});

it('a reader who catches up while the picture is kept is not waited for again', async () => {
  const stream = opened({ full: true });
  stream.push(...text(0, 'x'), image(1));
  const waiting = stream.sink.drained();
  expect(stream.drains()).toBe(1);
  stream.read();
  await turn();
  stream.kept[0]!();
  await turn();
  // The picture's own text filled the socket once more: that is waited for, and only that.
  expect(stream.drains()).toBe(2);
  stream.read();
  await waiting;
});

it('nothing is written to a caller who has gone, nor kept for him', async () => {
  const stream = opened();
  stream.push(image(0));
  const before = stream.raw();
  stream.caller.abort();
  stream.kept[0]!();
  await stream.settled();
  expect(stream.raw()).toBe(before);
  stream.push(image(1));
  expect(stream.kept).toHaveLength(1);
});

it('a break of the stream behind a picture is told behind it', async () => {
  const stream = opened();
  stream.push(image(0), { type: 'error', error: { code: 'upstream_unavailable', message: 'cut' } });
  expect(stream.raw()).not.toContain('event: error');
  stream.kept[0]!();
  await stream.settled();
  expect(stream.said()).toContain('files.test/0');
  expect(stream.raw()).toMatch(/event: error/);
});

it('a reply without pictures, or with addresses only, is the very same', async () => {
  const show: ShowPicture = () => Promise.reject(new Error('not asked'));
  for (const parts of [[{ type: 'text' as const, text: 'x' }], [shownAs('a')], []]) {
    const reply = { choices: [{ parts, stop: 'stop' as const }] };
    expect(await showPictures(reply, show)).toBe(reply);
  }
  expect(await showPictures({ choices: [] }, show)).toEqual({ choices: [] });
});

it('a picture that cannot be kept stays as it is, and is told to the operator', async () => {
  const said: unknown[] = [];
  const show = createShowPicture(
    {
      keptFiles: { keep: () => Promise.reject(new Error('the disk is full')) },
      log: { error: (fields: object) => said.push(fields) } as never,
      meter: { count: (name: string) => said.push(name) } as never,
    },
    { key: { ownerId: 1 }, requestId: 'req_1' } as never,
  );
  expect(await show(PICTURE)).toBe(PICTURE);
  expect(said).toEqual([expect.objectContaining({ request_id: 'req_1' }), 'gateway_pictures_not_kept_total']);
});
