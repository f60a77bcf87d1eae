/** Whatever a vendor reports, in how many chunks ever: a bill is a finite sum, never negative, and no less than what a cut stream delivered. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { dialects, type Delivered } from '@model-gateway/translate';
import fc from 'fast-check';
import type { Offer } from '../../catalogue.ts';
import { billReport, type PriceTerms } from '../../paid/payment.ts';
import { estimateCut, mayThink, usageOf, usageSoFar, type StreamBilling } from './billed-usage.ts';
import {
  createDialectTranslator,
  createForwardingTranslator,
  type StreamEnd,
  type StreamTranslator,
} from './chat-stream.ts';
import { GenerationRates } from './generation-rate.ts';

const PRICE = { input: 1, cached_input: 0.1, cache_write: 1.25, output: 10, output_audio: 60, output_image: 30 };
const MOST = { inputTokens: 2_000, outputTokens: 4_000 };
const TERMS = { row: { price: PRICE }, quote: { most: MOST } } as unknown as PriceTerms;
const json: JsonObject = { model: 'm', messages: [{ role: 'user', content: 'Tell me of the sea.' }], stream: true };
const call = { dialect: 'openai-chat', body: { bytes: Buffer.from(JSON.stringify(json)), json } } as const;
const billing: StreamBilling = { call, most: MOST, mayThink: false };

const nothing: Delivered = { text: 0, audio: 0, pictures: 0, drafts: 0, thinksUnseen: false };
const endOf = (given: Partial<StreamEnd>): StreamEnd => ({
  usage: undefined,
  delivered: nothing,
  finished: false,
  failed: false,
  abandoned: false,
  cut: false,
  ...given,
});
const unitsOf = (end: StreamEnd, more: Partial<StreamBilling> = {}): number => {
  const usage = usageOf(end, { ...billing, ...more });
  return usage === undefined ? 0 : billReport(usage, TERMS, { group: 1 }).bill.units;
};

const count: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
  fc.constantFrom<Json>(-1, -5_000, 0.5, 10.25, 1e15, 1e308, -1e308, '12', 'ten', null, true, {}, []),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const report = fc.dictionary(
  fc.constantFrom('prompt_tokens', 'completion_tokens', 'total_tokens', 'input_tokens', 'output_tokens'),
  count,
);
const details = fc.dictionary(
  fc.constantFrom('cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'audio_tokens', 'image_tokens'),
  count,
);
const usage = fc
  .tuple(report, fc.option(details), fc.option(details))
  .map(([counts, input, output]) => ({ ...counts, prompt_tokens_details: input, completion_tokens_details: output }));
const event = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (text: string, more: JsonObject = {}): string =>
  event({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: text }, finish_reason: null }],
    ...more,
  });

const translators: Record<string, () => StreamTranslator> = {
  forwarded: () => createForwardingTranslator(dialects['openai-chat'], { request: json, quirks: {}, requestId: 'r' }),
  translated: () =>
    createDialectTranslator(dialects['openai-chat'], dialects['anthropic-messages'], {
      sent: { body: {}, dropped: [] },
      context: {
        model: 'm',
        request: { model: 'm', stream: true, system: [], turns: [], tools: [], extra: {} },
        body: {},
        id: 'i',
        now: 1,
        requestId: 'r',
      },
    }),
};

describe.each(Object.keys(translators))('a stream, %s, with any reports in it', (name) => {
  const scenes = fc.record({
    texts: fc.array(fc.string({ minLength: 1, maxLength: 60 }), { maxLength: 12 }),
    reports: fc.array(usage, { maxLength: 5 }),
    finishes: fc.boolean(),
    cut: fc.boolean(),
  });
  it('costs a finite sum, and cut no less than a part of what was delivered', () =>
    fc.assert(
      fc.property(scenes, ({ texts, reports, finishes, cut }) => {
        const translator = translators[name]!();
        texts.forEach((text, index) => {
          const told = reports[index];
          translator.push(Buffer.from(chunk(text, told === undefined ? {} : { usage: told as unknown as Json })));
        });
        if (finishes)
          translator.push(Buffer.from(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })));
        for (const told of reports.slice(texts.length))
          translator.push(Buffer.from(event({ choices: [], usage: told as unknown as Json })));
        const end = endOf({
          usage: translator.usage(),
          delivered: translator.delivered(),
          finished: finishes,
          cut: cut && !finishes,
        });
        const units = unitsOf(end);
        expect(Number.isFinite(units)).toBe(true);
        expect(units).toBeGreaterThanOrEqual(0);
        const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
        expect(end.delivered.text).toBeGreaterThanOrEqual(Math.floor(bytes * 0.9));
        // Half: a vendor that counts as it goes may have counted the last words not yet.
        if (!finishes && bytes > 0) expect(units).toBeGreaterThanOrEqual(Math.floor(((bytes / 4) * 10 * 0.5) / 2));
        const soFar = usageSoFar(translator.usage(), translator.delivered(), billing);
        if (soFar !== undefined)
          expect(Number.isFinite(billReport({ ...MOST, ...soFar }, TERMS, { group: 1 }).bill.units)).toBe(true);
      }),
      { numRuns: 300, seed: 3 },
    ));
});

describe('a finished stream', () => {
  const said = { ...nothing, text: 400 };
  it('is billed by the vendor’s last word, an explicit zero included', () => {
    expect(
      usageOf(endOf({ usage: { inputTokens: 0, outputTokens: 0 }, delivered: said, finished: true }), billing),
    ).toEqual({
      inputTokens: 0,
      outputTokens: 0,
    });
  });
  it('is counted here where the report leaves one side out', () => {
    const told = usageOf(endOf({ usage: { inputTokens: 7 }, delivered: said, finished: true }), billing);
    expect(told).toEqual({ inputTokens: 7, outputTokens: 100, estimated: true });
  });
});

describe('a stream that was cut', () => {
  const cut = (delivered: Partial<Delivered>, given: Partial<StreamEnd> = {}): StreamEnd =>
    endOf({ cut: true, abandoned: true, delivered: { ...nothing, ...delivered }, ...given });
  it.each([
    { name: 'text', delivered: { text: 400 }, output: { outputTokens: 100 } },
    {
      name: 'ten seconds of sound',
      delivered: { audio: 480_000 },
      output: { outputTokens: 250, outputAudioTokens: 250 },
    },
    { name: 'two pictures', delivered: { pictures: 2 }, output: { outputTokens: 4_000, outputImageTokens: 4_000 } },
    { name: 'drafts of one', delivered: { drafts: 3 }, output: { outputTokens: 2_000, outputImageTokens: 2_000 } },
  ])('is billed for $name', ({ delivered, output }) => {
    expect(usageOf(cut(delivered), billing)).toMatchObject({ ...output, estimated: true });
  });
  it('is billed for what the vendor read, when nothing had come', () => {
    expect(unitsOf(cut({}))).toBeGreaterThan(0);
  });
  it('is billed all that was set aside, when the model was thinking unseen', () => {
    for (const thinking of [
      usageOf(cut({ text: 4 }), { ...billing, mayThink: true }),
      usageOf(cut({ text: 4, thinksUnseen: true }), billing),
      usageOf(cut({ text: 4 }, { usage: { inputTokens: 9, outputTokens: 1, reasoningTokens: 0 } }), {
        ...billing,
        mayThink: true,
      }),
    ])
      expect(thinking).toMatchObject({ outputTokens: MOST.outputTokens });
  });
  it('is billed by a report that tells the thoughts', () => {
    const told = { inputTokens: 9, outputTokens: 500, reasoningTokens: 480 };
    expect(usageOf(cut({ text: 80 }, { usage: told }), { ...billing, mayThink: true })).toMatchObject(told);
  });
  it('is billed all that was set aside for an input it only refers to', () => {
    const most = { ...MOST, inputTokens: 400_000 };
    const content = [{ type: 'image_url', image_url: { url: 'https://example.com/sea.png' } }];
    const referring = { ...json, messages: [{ role: 'user', content }] };
    const body = { bytes: Buffer.from(JSON.stringify(referring)), json: referring };
    const referred = { ...billing, most, call: { ...call, body } };
    expect(usageOf(cut({ text: 4 }), referred)).toMatchObject({ inputTokens: 400_000 });
    expect(usageOf(cut({ text: 4 }), { ...billing, most })?.inputTokens).toBeLessThan(100);
  });
});

it('a stream that its vendor broke off before it brought anything is free', () => {
  expect(usageOf(endOf({ failed: true }), billing)).toBeUndefined();
});

describe('a model may think', () => {
  it.each([
    { dialect: 'openai-chat', asks: { reasoning_effort: 'low' }, not: { reasoning_effort: 'none' } },
    { dialect: 'openai-responses', asks: { reasoning: { effort: 'low' } }, not: { reasoning: { effort: null } } },
    {
      dialect: 'anthropic-messages',
      asks: { thinking: { type: 'adaptive' } },
      not: { thinking: { type: 'disabled' } },
    },
    {
      dialect: 'gemini-generate',
      asks: { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } },
      not: { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
    },
  ] as const)('when $dialect asks it to', ({ dialect, asks, not }) => {
    const asked = (body: JsonObject) => mayThink({ dialect, body: { bytes: Buffer.alloc(0), json: body } }, {});
    expect(asked(asks)).toBe(true);
    expect(asked(not)).toBe(false);
  });
  it('when its thoughts have a price', () => {
    expect(mayThink(call, { reasoning: 10 })).toBe(true);
  });
});

describe('a stream that was cut while its model thought', () => {
  const cut = (given: Partial<StreamEnd>): StreamEnd => endOf({ cut: true, abandoned: true, ...given });
  const thinking = (generated: number): StreamBilling => ({ ...billing, mayThink: true, generated: () => generated });
  const shown = { ...nothing, text: 400 };
  const told = { inputTokens: 9, outputTokens: 1, reasoningTokens: 0 };

  it.each([
    { name: 'what may have been generated', generated: 350, outputTokens: 350, reasoningTokens: 250 },
    { name: 'no less than what was delivered', generated: 3, outputTokens: 100, reasoningTokens: undefined },
    { name: 'no more than was set aside', generated: 1e9, outputTokens: 4_000, reasoningTokens: 3_900 },
  ])('costs $name', ({ generated, outputTokens, reasoningTokens }) => {
    for (const usage of [undefined, told]) {
      const billed = usageOf(cut({ delivered: shown, ...(usage !== undefined && { usage }) }), thinking(generated));
      expect(billed).toMatchObject({ outputTokens, estimated: true });
      expect(billed?.reasoningTokens).toBe(reasoningTokens);
    }
  });

  it('costs what was thought before its first event, and what it had read', () => {
    expect(estimateCut(thinking(120), true)).toMatchObject({ outputTokens: 120, reasoningTokens: 120 });
    expect(estimateCut({ ...thinking(120), mayThink: false }, true)).toMatchObject({ outputTokens: 0 });
    // Of a whole answer nothing comes before all of it is generated.
    expect(estimateCut({ ...thinking(120), mayThink: false }, false)).toMatchObject({ outputTokens: 120 });
    for (const stream of [true, false]) expect(estimateCut(thinking(0), stream).inputTokens).toBeGreaterThan(0);
  });

  it('costs no report that counted as it went more than it told', () => {
    const counted = { inputTokens: 9, outputTokens: 300, reasoningTokens: 200 };
    expect(usageOf(cut({ delivered: shown, usage: counted }), thinking(4_000))).toMatchObject(counted);
  });
});

describe('how fast a model is', () => {
  const offer = { account: { id: 1 }, model: 'm' } as Offer;
  const other = { account: { id: 2 }, model: 'm' } as Offer;

  it('is a usual rate until an answer has told it, of that account alone', () => {
    const rates = new GenerationRates();
    expect([rates.generatedIn(offer, 1_000), rates.generatedIn(offer, 0)]).toEqual([125, 0]);
    rates.measure(offer, 1_000, 2_000);
    expect([rates.generatedIn(offer, 1_000), rates.generatedIn(other, 1_000)]).toEqual([625, 125]);
  });

  it('is not brought down by a caller who reads slowly, nor by answers of a few tokens', () => {
    const rates = new GenerationRates();
    rates.measure(offer, 1_000, 2_000);
    rates.measure(offer, 3, 60_000);
    expect(rates.generatedIn(offer, 1_000)).toBe(625);
    rates.measure(offer, 1_000, 600_000);
    expect(rates.generatedIn(offer, 1_000)).toBeGreaterThan(590);
    rates.measure(offer, 1_000, 500);
    expect(rates.generatedIn(offer, 1_000)).toBeGreaterThan(1_500);
  });
});
