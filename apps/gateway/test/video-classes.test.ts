/** The law of video prices: what a video is billed as is what its vendor was asked for, or the request is refused. */
import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { numberAt, textAt } from '@model-gateway/provider-kit';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';

const IMAGE = 'https://example.com/a.png';
const CLIP = 'https://example.com/v.mp4';

interface Row {
  readonly code: string;
  readonly body: string;
  readonly kind: string;
  readonly limits: JsonObject & { readonly mode?: string };
  readonly price: { readonly resolution_factors?: Readonly<Record<string, number>>; readonly audio_factor?: number };
  readonly offers: readonly { readonly account: string }[];
}
interface Asked {
  readonly class: string;
  readonly sound: boolean;
}

/** What a vendor was asked for; where nothing says, what it makes. */
const ASKED: Readonly<Record<string, (body: JsonObject) => Asked>> = {
  dashscope: (body) => silent(textAt(body, 'parameters', 'resolution') ?? '1080P'),
  vertex: (body) => silent(textAt(body, 'parameters', 'resolution') ?? '720p'),
  veo: (body) => silent(textAt(body, 'parameters', 'resolution') ?? '720p'),
  // Better classes are made of the finished film, and cost the caller the same.
  'veo-kie': () => silent('720p'),
  'tencent-vod': (body) => ({
    class: textAt(body, 'OutputConfig', 'Resolution') ?? '720P',
    sound: textAt(body, 'OutputConfig', 'AudioGeneration') === 'Enabled',
  }),
  kling: (body) => ({
    class: { std: '720P', pro: '1080P', '4k': '4K' }[textAt(body, 'mode') ?? 'std'] ?? 'unknown',
    sound: textAt(body, 'sound') === 'on',
  }),
  minimax: (body) => silent(textAt(body, 'resolution') ?? '768P'),
  luma: (body) => silent(textAt(body, 'resolution') ?? 'unknown'),
  bfl: (body) => silent({ hd: '720p', fhd: '1080p' }[textAt(body, 'resolution') ?? ''] ?? 'unknown'),
  pixverse: (body) => ({
    class: textAt(body, 'quality') ?? 'unknown',
    sound: body['generate_audio_switch'] === true,
  }),
};
const silent = (word: string): Asked => ({ class: word, sound: false });
const VENDORS: Readonly<Record<string, string>> = { 'veo-kie': 'kie', veo: 'veo', vertex: 'vertex' };

const catalogue = parse(readFileSync(new URL('../config/catalogue.yaml', import.meta.url), 'utf8')) as {
  readonly models: readonly Row[];
};
const priced = catalogue.models.filter(
  ({ kind, price }) => kind === 'video' && (price.resolution_factors !== undefined || price.audio_factor !== undefined),
);
/** Each offer of each row alone. */
const cases = priced.flatMap((row) =>
  row.offers.map((offer) => ({ row: { ...row, code: `${row.code}-at-${offer.account}`, offers: [offer] }, offer })),
);

let gateway: TestGateway;
let now = Date.now();
beforeAll(async () => {
  const models = cases.map(({ row }) => row);
  gateway = await openTestGateway({ clock: () => now, yaml: stringify({ models }) });
});
afterAll(() => gateway.close());

// ---- what is asked -------------------------------------------------------------------------------------------------

const SIDES = [240, 360, 512, 540, 672, 720, 768, 832, 1024, 1080, 1088, 1152, 1440, 2160, 4320];
const SHAPES = [
  [16, 9],
  [9, 16],
  [1, 1],
  [21, 9],
] as const;
const SIZES = SIDES.map((side, index) => {
  const [width, height] = SHAPES[index % SHAPES.length] ?? [1, 1];
  const unit = side / Math.min(width, height);
  return `${Math.round(width * unit)}x${Math.round(height * unit)}`;
});
const CLASSES = ['360p', '512P', '540p', ' 720P ', '720p', '768p', '1080P', '1088p', '2k', '4K', '2160p', 'hd'];

/** Bodies of a wish in the row's own shape. */
const OWN: Readonly<Record<string, (wish: JsonObject, limits: Row['limits']) => JsonObject>> = {
  input: ({ prompt, ...wish }, { mode }) => ({
    input: { prompt: prompt ?? '', ...mediaOf(mode) },
    parameters: wish,
  }),
  'image-urls': (wish) => wish,
  prompt: (wish) => wish,
  omni: ({ generate_audio: audio, ...wish }) => ({ ...wish, ...(audio !== undefined && { audio_generation: audio }) }),
};

function mediaOf(mode: string | undefined): JsonObject {
  if (mode === 'i2v') return { media: [{ type: 'first_frame', url: IMAGE }] };
  if (mode === 'r2v') return { media: [{ type: 'reference_image', url: IMAGE }] };
  return mode === 'video-edit' ? { media: [{ type: 'video', url: CLIP }] } : {};
}

/** By words that every vendor is asked in. */
const IN_OUR_WORDS: readonly JsonObject[] = [
  {},
  ...SIZES.map((size) => ({ size })),
  { size: '1280*720' },
  { size: '1920*1080' },
  ...CLASSES.map((resolution) => ({ resolution })),
  ...['720P', '1080p', '2160p'].map((size) => ({ size })),
  { resolution: '1080P', size: '1280x720' },
  { generate_audio: true },
  { generate_audio: false, resolution: '1080p' },
  { generate_audio: true, size: '1920x1088' },
];
/** By words that one vendor knows, or may know: the others are not asked for what is billed then, but never for more. */
const IN_OTHER_WORDS: readonly JsonObject[] = [
  ...['std', 'pro', '4k', '720p'].map((mode) => ({ mode })),
  ...['360p', '1080p', '2160p', 'best'].map((quality) => ({ quality })),
  { Resolution: '1080P' },
  { 'parameters.resolution': '1080P' },
  { parameters: { resolution: '2160p' } },
  { size: '720P', Size: '1080P' },
  ...['720P', '4K'].map((word) => ({ output_config: { Resolution: word, AudioGeneration: 'Enabled' } })),
  ...[{ sound: 'on' }, { AudioGeneration: 'Enabled' }, { generate_audio_switch: true }],
];
const WISHES = [
  ...IN_OUR_WORDS.map((wish) => ({ wish, isOurs: true })),
  ...IN_OTHER_WORDS.map((wish) => ({ wish, isOurs: false })),
];

async function send(path: string, body: JsonObject) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = (await reply.json()) as JsonObject;
  return { status: reply.status, json, id: textAt(json, 'task_id') ?? textAt(json, 'id') ?? '' };
}

async function factorsOf(kind: 'hold' | 'capture'): Promise<ReadonlyMap<string, number | undefined>> {
  const entries = await gateway.server.parts.store.ledger.entries({ kind, order: 'newest', limit: 10_000 });
  return new Map(entries.map(({ taskId, detail }) => [taskId ?? '', factorIn(detail)]));
}
function factorIn(detail: Json | undefined): number | undefined {
  const lines = isJsonObject(detail ?? null) ? (detail as JsonObject)['lines'] : undefined;
  return Array.isArray(lines) ? numberAt(lines[0], 'factor') : undefined;
}

/** By the row's own words: a class that it lists and has no factor for is the one that its price is of. */
function factorOf({ limits, price }: Row, asked: Asked): number {
  const factors = new Map(
    Object.entries(price.resolution_factors ?? {}).map(([word, factor]) => [word.toLowerCase(), factor]),
  );
  const listed = (limits['resolutions'] as string[]).map((word) => word.toLowerCase());
  expect(listed).toContain(asked.class.toLowerCase());
  return (factors.get(asked.class.toLowerCase()) ?? 1) * (asked.sound ? (price.audio_factor ?? 1) : 1);
}

// ---- the law -------------------------------------------------------------------------------------------------------

interface Expected {
  readonly said: string;
  readonly factor: number;
  readonly isOurs: boolean;
}

describe.each(cases)('$row.code', ({ row, offer }) => {
  it('is billed as what its vendor is asked for, or refused', async () => {
    const { body: shape, limits } = row;
    const expected = new Map<string, Expected>();
    let refused = 0;
    for (const { wish, isOurs } of WISHES) {
      const ways: readonly (readonly [string, JsonObject])[] = [
        ['/v1/videos', { ...wish, prompt: 'a fox', ...(limits.mode === 'i2v' && { input_reference: IMAGE }) }],
        ['/v1/video/generations', OWN[shape]?.({ ...wish, prompt: 'a fox' }, limits) ?? {}],
      ];
      for (const [path, body] of ways) {
        const { status, json, id } = await send(path, { model: row.code, ...body });
        const said = `${path} ${JSON.stringify(body)}`;
        if (status === 200) {
          const sent = gateway.twin.requests.last((VENDORS[offer.account] ?? offer.account) as never, 'create');
          const asked = ASKED[offer.account]?.(sent?.json as JsonObject) ?? silent('unknown');
          expected.set(id, { said, factor: factorOf(row, asked), isOurs });
        } else {
          expect([said, status, json]).toEqual([said, 400, json]);
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(10);
    expect(expected.size).toBeGreaterThan(10);
    for (let step = 0; step < 3; step++) {
      now += 10 * 60_000;
      await gateway.server.tasks.runDue();
    }
    const [held, billed] = [await factorsOf('hold'), await factorsOf('capture')];
    for (const [id, { said, factor, isOurs }] of expected) {
      const paid = held.get(id) ?? 0;
      expect([said, billed.get(id)]).toEqual([said, paid]);
      expect([said, paid]).toEqual([said, isOurs ? factor : Math.max(factor, paid)]);
    }
  });
});
