/**
 * What every image and speech adapter must do, whatever its vendor's wire is: run against the vendor twin over real sockets.
 */
import { describe, expect, it } from 'vitest';
import { GatewayError, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import {
  type ImageAdapter,
  type ImageCreate,
  type ImageReply,
  type ImageStreamEvent,
  type MediaFile,
  type ProviderAdapter,
  type SpeechAdapter,
  type SpeechCreate,
  type SpeechReply,
} from '@model-gateway/provider-kit';
import type { Operation, TwinFault, TwinVendor } from '@model-gateway/vendor-twin';
import { imageSize } from 'image-size';
import { AnswerHarness } from './answer-harness.ts';
import {
  itEndsWithItsCaller,
  itNeverShowsARefusedKey,
  itSaysWhenARateLimitWillPass,
  useHarness,
} from './harness-tests.ts';

/** A vendor's own words for content it refuses, where the twin is told to say them. */
export interface Moderation {
  readonly status: number;
  readonly body: unknown;
}

export interface ImageConformance {
  /** The vendor's name for a model of its own. */
  readonly model: string;
  /** A request this vendor takes. */
  readonly input: Partial<ImageCreate>;
  /** The picture that comes of it, in pixels. */
  readonly makes: { readonly width: number; readonly height: number };
  readonly moderation: Moderation;
  /** What the twin calls this request; default `image`. */
  readonly operation?: Operation;
  readonly quirks?: JsonObject;
  readonly settings?: Readonly<Record<string, string>>;
}

export interface SpeechConformance {
  readonly model: string;
  readonly input?: Partial<SpeechCreate>;
  /** Absent where the vendor looks at no content. */
  readonly moderation?: Moderation;
  /** What the twin calls this request; default `speech`. */
  readonly operation?: Operation;
  readonly quirks?: JsonObject;
  /** False where a whole answer is bytes, which cannot be told from torn ones. Default true. */
  readonly json?: boolean;
}

interface Trouble {
  readonly name: string;
  readonly fault: TwinFault;
  readonly code: ErrorCode;
}

const TROUBLES: readonly Trouble[] = [
  { name: 'a server fault', fault: { kind: 'status', status: 500 }, code: 'upstream_unavailable' },
  { name: 'an overloaded server', fault: { kind: 'status', status: 503 }, code: 'upstream_unavailable' },
  { name: 'an odd server status', fault: { kind: 'status', status: 529 }, code: 'upstream_unavailable' },
  { name: 'a connection reset', fault: { kind: 'reset' }, code: 'upstream_unavailable' },
  { name: 'no answer at all', fault: { kind: 'no-answer' }, code: 'upstream_unavailable' },
  { name: 'an answer cut short', fault: { kind: 'cut', afterBytes: 20 }, code: 'upstream_unavailable' },
];
const TORN: readonly Trouble[] = [
  { name: 'torn JSON', fault: { kind: 'torn-json' }, code: 'upstream_malformed' },
  { name: 'bytes that are no JSON', fault: { kind: 'malformed' }, code: 'upstream_malformed' },
];

/** The suite every image adapter runs: `describeImageAdapter(ark, 'ark', { … })`. */
export function describeImageAdapter(adapter: ProviderAdapter, vendor: TwinVendor, options: ImageConformance): void {
  const { images } = adapter;
  if (images === undefined) throw new Error(`${adapter.id} makes no images`);

  describe(`${adapter.id} images against the twin’s ${vendor}: ${options.model}`, () => {
    const bench = new AnswerHarness(adapter, vendor, { operation: 'image', ...options });
    const suite = new ImageSuite(images, bench, options);
    useHarness(bench);
    itDraws(suite);
    itSaysWhenARateLimitWillPass(bench, (upstream) => suite.generate(upstream), { taken: 'no' });
    itTellsImageTroubles(suite);
    itNeverShowsARefusedKey(bench, (upstream) => suite.generate(upstream));
    itEndsWithItsCaller(bench, (upstream) => suite.generate(upstream));
    itStreamsImages(suite);
  });
}

class ImageSuite {
  readonly images: ImageAdapter;
  readonly bench: AnswerHarness;
  readonly options: ImageConformance;
  readonly asked: ImageCreate;

  constructor(images: ImageAdapter, bench: AnswerHarness, options: ImageConformance) {
    this.images = images;
    this.bench = bench;
    this.options = options;
    this.asked = imageCreate(options.input);
  }

  generate(upstream = this.bench.upstream(), given: Partial<ImageCreate> = {}): ReturnType<ImageAdapter['generate']> {
    return this.images.generate({ ...this.asked, ...given }, upstream);
  }
}

function itDraws(suite: ImageSuite): void {
  const { bench, options } = suite;

  it('draws a picture that decodes, of the size it says', async () => {
    const reply = await suite.generate();
    expect(reply.dropped).toEqual([]);
    expect(reply.files).toHaveLength(1);
    expect(reply.usage.images).toBe(1);
    const file = drawn(reply)[0];
    if (file === undefined) throw new Error('not an image');
    const decoded = imageSize(await bench.bytesOf(file));
    expect({ width: decoded.width, height: decoded.height }).toEqual(options.makes);
    expect(file.mime).toBe(`image/${decoded.type === 'jpg' ? 'jpeg' : (decoded.type ?? '')}`);
    if (file.width !== undefined) expect({ width: file.width, height: file.height }).toEqual(options.makes);
  });

  it('takes a mask or refuses it by its place, but never loses it', async () => {
    const mask = { url: `data:image/png;base64,${PICTURE}`, param: 'mask' };
    const outcome = await suite
      .generate(bench.upstream(), {
        shape: 'edit',
        images: [{ ...mask, param: 'image' }],
        mask,
      })
      .catch((error: unknown) => error);
    if (outcome instanceof GatewayError) expect(outcome.details.param).toBe('mask');
    else expect(bench.lastRequest()).toMatch(/mask/);
  });
}

function itTellsImageTroubles(suite: ImageSuite): void {
  const { bench, options } = suite;

  it('tells refused content from a bad request', async () => {
    bench.meet({ kind: 'status', ...options.moderation });
    const error = await bench.refused(suite.generate(), 'content_refused');
    // Else the next vendor is asked for the same, as if this one had not the words for it.
    expect(error.details.taken).toBeDefined();
  });

  it.each([...TROUBLES, ...TORN])('$name', async ({ fault, code }) => {
    bench.meet(fault);
    const error = await bench.refused(suite.generate(), code);
    expect(error.details.taken).toBe('unknown');
  });
}

function itStreamsImages({ images, bench, options, asked }: ImageSuite): void {
  const { stream } = images;
  if (stream === undefined) return;
  const events = async () => collected(stream.call(images, asked, bench.upstream()));

  it('streams the picture, and ends with what it cost', async () => {
    const seen = await events();
    expect(seen[0]).toEqual({ type: 'started', dropped: [] });
    const picture = seen.find((event) => event.type === 'image');
    if (picture?.type !== 'image') throw new Error('not an image');
    const decoded = imageSize(await bench.bytesOf(picture.file));
    expect({ width: decoded.width, height: decoded.height }).toEqual(options.makes);
    expect(seen.at(-1)).toMatchObject({ type: 'completed', usage: { images: 1 } });
  });

  it.each<Trouble>([
    ...TROUBLES,
    { name: 'an error in place of the first event', fault: { kind: 'error-event' }, code: 'upstream_unavailable' },
  ])('a stream that meets $name is no success', async ({ fault, code }) => {
    bench.meet(fault);
    await bench.refused(events(), code);
  });
}

/** The suite every speech adapter runs: `describeSpeechAdapter(mimo, 'mimo', { … })`. */
export function describeSpeechAdapter(adapter: ProviderAdapter, vendor: TwinVendor, options: SpeechConformance): void {
  const { speech } = adapter;
  if (speech === undefined) throw new Error(`${adapter.id} does not speak`);

  describe(`${adapter.id} speech against the twin’s ${vendor}: ${options.model}`, () => {
    const bench = new AnswerHarness(adapter, vendor, { operation: 'speech', ...options });
    const suite = new SpeechSuite(speech, bench, options);
    useHarness(bench);
    itSpeaks(suite);
    itSaysWhenARateLimitWillPass(bench, (upstream) => suite.speak({}, upstream));
    itTellsSpeechTroubles(suite);
    itNeverShowsARefusedKey(bench, (upstream) => suite.speak({}, upstream));
    itEndsWithItsCaller(bench, (upstream) => suite.speak({}, upstream));
  });
}

class SpeechSuite {
  readonly speech: SpeechAdapter;
  readonly bench: AnswerHarness;
  readonly options: SpeechConformance;
  readonly asked: SpeechCreate;

  constructor(speech: SpeechAdapter, bench: AnswerHarness, options: SpeechConformance) {
    this.speech = speech;
    this.bench = bench;
    this.options = options;
    this.asked = speechCreate(options.input);
  }

  async speak(given: Partial<SpeechCreate> = {}, upstream = this.bench.upstream()) {
    const reply = await this.speech.speak({ ...this.asked, ...given }, upstream);
    return { ...reply, bytes: await heard(reply) };
  }
}

function itSpeaks(suite: SpeechSuite): void {
  const { bench } = suite;

  it('makes a WAV file of the right length and rate', async () => {
    const reply = await suite.speak();
    expect(reply).toMatchObject({ mime: 'audio/wav', sampleRate: 24_000, dropped: [] });
    const wav = readWav(reply.bytes);
    expect(wav).toMatchObject({ channels: 1, bits: 16, sampleRate: 24_000 });
    expect(wav.seconds).toBeGreaterThan(0.5);
    expect(wav.loudest).toBeGreaterThan(500);
    expect(reply.usage()).toMatchObject({ characters: suite.asked.text.length });
    expect(reply.usage().seconds).toBeCloseTo(wav.seconds, 1);
  });

  it('makes an mp3 file', async () => {
    const { mime, bytes } = await suite.speak({ format: 'mp3' });
    expect(mime).toBe('audio/mpeg');
    expect(bytes.subarray(0, 3).toString('latin1') === 'ID3' || (bytes.readUInt16BE(0) & 0xffe0) === 0xffe0).toBe(true);
  });

  it('streams whole 16-bit samples', async () => {
    const reply = await suite.speech.speak({ ...suite.asked, format: 'pcm16', stream: true }, bench.upstream());
    expect(reply).toMatchObject({ mime: 'audio/pcm', sampleRate: 24_000 });
    let pieces = 0;
    let bytes = 0;
    for await (const piece of reply.audio) {
      expect(piece.byteLength % 2).toBe(0);
      pieces += 1;
      bytes += piece.byteLength;
    }
    expect(pieces).toBeGreaterThan(1);
    expect(reply.usage().seconds).toBeCloseTo(bytes / 48_000, 2);
    expect(bytes / 48_000).toBeGreaterThan(0.5);
  });

  it('refuses a format it does not make, naming those it does', async () => {
    const error = await bench.refused(suite.speak({ format: 'midi' }), 'invalid_request');
    expect(error.message).toMatch(/(?:possible are|expected one of) .*wav/);
  });
}

function itTellsSpeechTroubles(suite: SpeechSuite): void {
  const { bench, options } = suite;
  const { moderation } = options;

  if (moderation !== undefined)
    it('tells refused content from a bad request', async () => {
      bench.meet({ kind: 'status', ...moderation });
      const error = await bench.refused(suite.speak(), 'content_refused');
      expect(error.details.taken).toBeDefined();
    });

  it.each([...TROUBLES, ...(options.json === false ? [] : TORN)])('$name', async ({ fault, code }) => {
    bench.meet(fault);
    await bench.refused(suite.speak(), code);
  });

  it('a stream cut in the middle is no success', async () => {
    bench.meet(options.json === false ? { kind: 'cut', afterBytes: 9000 } : { kind: 'cut', afterEvents: 3 });
    await bench.refused(suite.speak({ format: 'pcm16', stream: true }), 'upstream_unavailable');
  });
}

/** A picture in the neutral form; everything not given is absent. */
export function imageCreate(given: Partial<ImageCreate> = {}): ImageCreate {
  return { shape: 'prompt', prompt: 'A paper boat', images: [], extra: {}, ...given };
}

/** Speech in the neutral form; everything not given is absent. */
export function speechCreate(given: Partial<SpeechCreate> = {}): SpeechCreate {
  return { text: 'The boat is made of paper, and it floats.', format: 'wav', stream: false, extra: {}, ...given };
}

/** A PNG of 256 by 256 white pixels, base64: the smallest that every vendor takes. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAQAAAAEAAQMAAABmvDolAAAAA1BMVEX///+nxBvIAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAH0lEQVRo3u3BAQ0AAADCoPdPbQ43oAAAAAAAAAAAvg0hAAABfxmcpwAAAABJRU5ErkJggg==';

/** A PNG of one opaque pixel, base64. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function drawn(reply: ImageReply): MediaFile[] {
  return reply.files.filter((file): file is MediaFile => !('fault' in file));
}

async function collected(events: AsyncIterable<ImageStreamEvent>): Promise<ImageStreamEvent[]> {
  const seen: ImageStreamEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

async function heard(reply: SpeechReply): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.audio) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** What a WAV file says of itself, and its loudest sample. Throws when it is none. */
export function readWav(bytes: Buffer): {
  readonly channels: number;
  readonly bits: number;
  readonly sampleRate: number;
  readonly seconds: number;
  readonly loudest: number;
} {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error('no WAV file');
  }
  let at = 12;
  let form: Pick<ReturnType<typeof readWav>, 'channels' | 'bits' | 'sampleRate'> | undefined;
  while (at + 8 <= bytes.byteLength) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = Math.min(bytes.readUInt32LE(at + 4), bytes.byteLength - at - 8);
    if (name === 'fmt ') {
      form = {
        channels: bytes.readUInt16LE(at + 10),
        sampleRate: bytes.readUInt32LE(at + 12),
        bits: bytes.readUInt16LE(at + 22),
      };
    }
    if (name === 'data' && form !== undefined) {
      let loudest = 0;
      for (let here = at + 8; here + 1 < at + 8 + size; here += 2)
        loudest = Math.max(loudest, Math.abs(bytes.readInt16LE(here)));
      return { ...form, seconds: size / (form.sampleRate * form.channels * (form.bits / 8)), loudest };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('a WAV file without samples');
}
