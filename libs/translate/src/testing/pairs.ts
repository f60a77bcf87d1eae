/** The pairs of dialects, and what the tests over all of them share. */
import { DIALECT_NAMES, type ChatFormat } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Target } from '../dialect.ts';
import { dialectSamples } from '../dialect-samples.ts';

/** A model of the vendor whose dialect this is. */
export const targetOf = (name: ChatFormat): Target => dialectSamples[name].target;

/** Every dialect of a caller with every dialect of a vendor. */
export const pairs = DIALECT_NAMES.flatMap((from) => DIALECT_NAMES.map((to) => ({ from, to })));

/** Something one can say: never blank. */
export const said = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((text) => text.trim() !== '');

/** Arguments of a call. */
export const input = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
