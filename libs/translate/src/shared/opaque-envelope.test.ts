import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Opaque } from '../conversation.ts';
import { isEnvelope, opaqueFits, readOpaque, unwrapOpaque, wrapOpaque, writeOpaque } from './opaque-envelope.ts';

const OPAQUE: Opaque = { provider: 'anthropic', model: 'claude-opus-5', kind: 'signature', value: 'Eq~?>ü😀==' };

/** As the unit `binary`, for which fast-check first makes a table of all of them. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
const opaques = fc.record(
  {
    provider: fc.string({ minLength: 1 }),
    model: fc.string({ minLength: 1 }),
    kind: fc.constantFrom('signature' as const, 'redacted' as const, 'encrypted' as const),
    value: fc.string({ minLength: 1, unit: character }),
    itemId: fc.string({ minLength: 1 }),
  },
  { requiredKeys: ['provider', 'kind', 'value'] },
);

describe('the envelope', () => {
  it('gives back what was put in, and is base64 in either alphabet without padding', () => {
    fc.assert(
      fc.property(opaques, (opaque) => {
        const text = wrapOpaque(opaque);
        expect(unwrapOpaque(text)).toEqual(opaque);
        expect(text).toMatch(/^[A-Za-z0-9]+$/);
        expect(text.length % 4).toBe(0);
      }),
    );
  });

  it.each([
    { name: 'cut', text: wrapOpaque(OPAQUE).slice(0, 40) },
    { name: 'changed', text: `${wrapOpaque(OPAQUE).slice(0, 12)}AAAA${wrapOpaque(OPAQUE).slice(16)}` },
    { name: 'empty inside', text: wrapOpaque({ ...OPAQUE, value: '' }) },
    { name: 'of another kind', text: wrapOpaque({ ...OPAQUE, kind: 'other' as 'signature' }) },
  ])('damaged ($name), it is nobody’s state', ({ text }) => {
    expect(isEnvelope(text)).toBe(true);
    expect(readOpaque(text, { provider: 'anthropic', kind: 'signature' })).toBeUndefined();
  });

  it('takes any other text as the dialect’s own', () => {
    expect(readOpaque('sig', { provider: 'gemini', kind: 'signature' })).toEqual({
      provider: 'gemini',
      kind: 'signature',
      value: 'sig',
    });
    expect(readOpaque('', { provider: 'gemini', kind: 'signature' })).toBeUndefined();
    expect(unwrapOpaque('sig')).toBeUndefined();
  });

  it('writes the maker’s own state plain', () => {
    expect(writeOpaque(OPAQUE, 'anthropic')).toBe(OPAQUE.value);
    expect(unwrapOpaque(writeOpaque(OPAQUE, 'openai'))).toEqual(OPAQUE);
  });
});

describe('opaqueFits', () => {
  it.each([
    { name: 'same model', provider: 'anthropic', model: 'claude-opus-5', fits: true },
    { name: 'its dated snapshot', provider: 'anthropic', model: 'claude-opus-5-20260801', fits: true },
    { name: 'its snapshot dated with dashes', provider: 'anthropic', model: 'claude-opus-5-2026-08-01', fits: true },
    { name: 'with a vendor’s path before', provider: 'anthropic', model: 'anthropic/claude-opus-5', fits: true },
    { name: 'another model', provider: 'anthropic', model: 'claude-haiku-4-5', fits: false },
    { name: 'a longer name', provider: 'anthropic', model: 'claude-opus-5-mini', fits: false },
    { name: 'another maker', provider: 'openai', model: 'claude-opus-5', fits: false },
  ])('$name: $fits', ({ provider, model, fits }) => {
    expect(opaqueFits(OPAQUE, { provider, model })).toBe(fits);
  });

  it('state that names no model fits all of its maker', () => {
    expect(
      opaqueFits({ provider: 'openai', kind: 'encrypted', value: 'x' }, { provider: 'openai', model: 'any' }),
    ).toBe(true);
  });
});
