import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError, type Json } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import { createMediaChecker, judge, type MediaChecker } from './media-limits.ts';
import { createMediaProbeWorker } from '../../media-probe/media-probe-worker.ts';
import { readContentBody } from './shapes/content.ts';
import type { VideoDraft } from './shapes/shape.ts';
import { bitmap, clip, dataUrl, mp3, picture, wav } from '../../tasks/testing/media.ts';

let checker: MediaChecker;
beforeAll(() => {
  checker = createMediaChecker();
});
afterAll(() => checker.close());

const text = { type: 'text', text: 'as in Video 1' };
const image = (url: string, role = 'reference_image'): Json => ({ type: 'image_url', image_url: { url }, role });
const video = (url: string): Json => ({ type: 'video_url', video_url: { url } });
const audio = (url: string): Json => ({ type: 'audio_url', audio_url: { url } });
const draftOf = (...content: Json[]): VideoDraft => readContentBody({ model: 'm', content }, {} as ModelRow);
const refusal = async (...content: Json[]): Promise<GatewayError> => {
  const error: unknown = await checker.check(draftOf(...content)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof GatewayError)) throw new Error('it was accepted');
  expect(error.code).toBe('invalid_request');
  return error;
};

describe('images of family A', () => {
  it.each([
    { name: 'jpeg', make: () => picture(640, 480, 'jpeg') },
    { name: 'png', make: () => picture(640, 480, 'png') },
    { name: 'webp', make: () => picture(640, 480, 'webp') },
    { name: 'tiff', make: () => picture(640, 480, 'tiff') },
    { name: 'gif', make: () => picture(640, 480, 'gif') },
    { name: 'bmp', make: () => Promise.resolve(bitmap(640, 480)) },
    { name: 'the smallest, 300x300', make: () => picture(300, 300) },
    { name: 'the widest, 750x300', make: () => picture(750, 300) },
    { name: 'the narrowest, 300x750', make: () => picture(300, 750) },
    { name: '6000 px', make: () => picture(6000, 2400, 'jpeg') },
  ])('$name is taken', async ({ make }) => {
    await expect(checker.check(draftOf(image(dataUrl(await make()))))).resolves.toBeDefined();
  });

  it.each([
    { name: 'too narrow', make: () => picture(299, 400), says: '300 to 6000 px wide and high; it is 299x400' },
    { name: 'too low', make: () => picture(400, 299), says: 'it is 400x299' },
    { name: 'too wide', make: () => picture(6001, 3000, 'jpeg'), says: 'it is 6001x3000' },
    { name: 'too flat', make: () => picture(760, 300), says: '0.4 to 2.5; it is 760x300, which is 2.53' },
    { name: 'too tall', make: () => picture(300, 760), says: 'which is 0.39' },
    { name: 'avif', make: () => picture(400, 400, 'avif'), says: 'by its bytes it is image/avif' },
    { name: 'a sound', make: () => Promise.resolve(wav(3)), says: 'by its bytes it is audio/wav' },
    {
      name: 'svg',
      make: () => Promise.resolve(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
      says: 'format jpeg, png',
    },
    { name: 'noise', make: () => Promise.resolve(Buffer.alloc(5000, 7)), says: 'no known format' },
    { name: 'only a signature', make: async () => (await picture(400, 400)).subarray(0, 20), says: 'damaged' },
  ])('$name is refused', async ({ make, says }) => {
    const error = await refusal(text, image(dataUrl(await make(), 'image/png')));
    expect(error.message).toContain(says);
    expect(error.details.param).toBe('content[1].image_url.url');
    expect(error.message.startsWith('content[1].image_url.url ')).toBe(true);
  });

  it('the format is found by bytes: a jpeg that calls itself text is an image', async () => {
    const bytes = await picture(400, 400, 'jpeg');
    await expect(checker.check(draftOf(image(dataUrl(bytes, 'text/plain'))))).resolves.toBeDefined();
  });

  it('a photo laid on its side is measured as it is seen', async () => {
    const error = await refusal(image(dataUrl(await picture(800, 310, 'jpeg', 6))));
    expect(error.message).toContain('it is 310x800');
  });

  it('under 30 MB: the last byte counts', async () => {
    const base = bitmap(640, 480);
    const padded = (size: number): Buffer => Buffer.concat([base, Buffer.alloc(size - base.length)]);
    const limit = 30 * 1024 * 1024;
    await expect(checker.check(draftOf(image(dataUrl(padded(limit - 1)))))).resolves.toBeDefined();
    const error = await refusal(image(dataUrl(padded(limit))));
    expect(error.message).toContain(`under 30 MB; it has 30.0 MB (${limit} bytes)`);
  });

  it('base64 without a head is measured and given one', async () => {
    const bytes = await picture(400, 400, 'webp');
    const bare = Buffer.from(bytes).toString('base64');
    const checked = await checker.check(draftOf(text, image(bare)));
    const url = `data:image/webp;base64,${bare}`;
    expect(checked.images[0]?.url).toBe(url);
    expect(checked.body['content']).toEqual([text, image(url)]);
  });
});

describe('videos of family A', () => {
  it.each([
    { name: '480p mp4 (854x480 has 409,920 pixels)', options: { width: 854, height: 480 } },
    { name: '720p mov', options: { container: 'mov' as const } },
    { name: '2 s at 60 fps', options: { seconds: 2, rate: 60 } },
    { name: '15 s', options: { seconds: 15 } },
    { name: '23.976 fps', options: { rate: 24_000 / 1001 } },
  ])('$name is taken', async ({ options }) => {
    await expect(checker.check(draftOf(text, video(dataUrl(await clip(options)))))).resolves.toBeDefined();
  });

  it.each([
    {
      name: 'too few pixels',
      options: { width: 640, height: 480 },
      says: '409600 to 927408 pixels (480p or 720p); it is 640x480, which is 307200',
    },
    { name: '1080p', options: { width: 1920, height: 1080 }, says: 'which is 2073600' },
    { name: 'too flat', options: { width: 1100, height: 420 }, says: 'aspect ratio' },
    { name: 'too slow', options: { rate: 15 }, says: '24 to 60 frames per second; it has 15' },
    { name: 'too fast', options: { rate: 120, seconds: 2 }, says: 'it has 120' },
    { name: 'too short', options: { seconds: 1.5 }, says: '2 to 15 seconds long; it is 1.5 seconds long' },
    { name: 'too long', options: { seconds: 16 }, says: 'it is 16 seconds long' },
  ])('$name is refused', async ({ options, says }) => {
    const error = await refusal(text, video(dataUrl(await clip(options))));
    expect(error.message).toContain(says);
    expect(error.details.param).toBe('content[1].video_url.url');
  });

  it('an image is no video', async () => {
    expect((await refusal(text, video(dataUrl(await picture(800, 600))))).message).toContain(
      'must be a video of format mp4, mov',
    );
  });

  it('a clip that was cut off is refused although its header is whole', async () => {
    const whole = await clip();
    const error = await refusal(text, video(dataUrl(whole.subarray(0, whole.length - 100))));
    expect(error.message).toContain('cut off');
  });

  it('three clips may have 15 s together', async () => {
    const five = video(dataUrl(await clip({ seconds: 5 })));
    const six = video(dataUrl(await clip({ seconds: 6 })));
    await expect(checker.check(draftOf(text, five, five, five))).resolves.toBeDefined();
    const error = await refusal(text, five, five, six);
    expect(error.message).toContain('16 seconds in all; together they may have 15');
    expect(error.details.param).toBe('content[3].video_url.url');
  });

  it('at most 50 MB', () => {
    const found = {
      bytes: 50 * 1024 * 1024,
      mime: 'video/mp4',
      format: 'mp4',
      width: 1280,
      height: 720,
      seconds: 5,
      rate: 24,
    };
    expect(() => judge('video', found, 'v')).not.toThrow();
    expect(() => judge('video', { ...found, bytes: found.bytes + 1 }, 'v')).toThrow('at most 50 MB; it has 50.0 MB');
  });
});

describe('audios of family A', () => {
  const still = image('https://media.example/a.png');

  it.each([
    { name: 'wav', bytes: wav(3) },
    { name: 'mp3', bytes: mp3(3) },
    { name: '15 s', bytes: wav(15) },
  ])('$name is taken', async ({ bytes }) => {
    await expect(checker.check(draftOf(still, audio(dataUrl(bytes))))).resolves.toBeDefined();
  });

  it.each([
    { name: 'too short', bytes: wav(1.9), says: '2 to 15 seconds long; it is 1.9' },
    { name: 'too long', bytes: mp3(16), says: '2 to 15 seconds long; it is 16' },
    { name: 'too large', bytes: wav(10, 1_700_000), says: 'at most 15 MB; it has about 16.2 MB' },
    { name: 'empty', bytes: wav(0), says: 'its duration is 0' },
  ])('$name is refused', async ({ bytes, says }) => {
    const error = await refusal(still, audio(dataUrl(bytes)));
    expect(error.message).toContain(says);
    expect(error.details.param).toBe('content[1].audio_url.url');
  });

  it('all clips together may have 15 s', async () => {
    const eight = audio(dataUrl(wav(8)));
    expect((await refusal(still, eight, eight)).message).toContain('16 seconds in all');
  });
});

describe('the checker', () => {
  it('never looks at links and assets', async () => {
    const broken = createMediaChecker({
      measure: () => Promise.reject(new Error('measured')),
      close: () => Promise.resolve(),
    });
    const draft = draftOf(
      text,
      image('https://media.example/a.png'),
      video('asset://clip-1'),
      audio('http://media.example/a.mp3'),
    );
    await expect(broken.check(draft)).resolves.toMatchObject({ images: draft.images });
  });

  it('a file that takes too long is refused, and the next one is measured', async () => {
    const probe = createMediaProbeWorker(0.0005);
    const bytes = Buffer.from(await picture(2000, 2000)).toString('base64');
    const order = { kind: 'image', text: bytes, start: 0 } as const;
    expect((await probe.measure(order)).broken).toContain('could not be read within');
    await probe.close();
    const patient = createMediaProbeWorker();
    expect(await patient.measure(order)).toMatchObject({ width: 2000 });
    await patient.close();
  });

  it('a body of 60 MB holds the event loop for less than 300 ms', async () => {
    await checker.check(draftOf(image(dataUrl(await picture(400, 400)))));
    const heavy = Buffer.concat([bitmap(640, 480), Buffer.alloc(22 * 1024 * 1024)]);
    const draft = draftOf(image(dataUrl(heavy)), image(dataUrl(heavy)));
    /** Milliseconds of work of this thread: another program's turn on the processor is not ours. */
    const worked = (): number => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    const longestGap = async (): Promise<number> => {
      let longest = 0;
      let last = worked();
      const beat = setInterval(() => {
        longest = Math.max(longest, worked() - last);
        last = worked();
      }, 5);
      await checker.check(draft);
      clearInterval(beat);
      return Math.max(longest, worked() - last);
    };
    const gaps = [await longestGap(), await longestGap(), await longestGap()];
    expect(Math.min(...gaps)).toBeLessThan(300);
  });
});
