/** Vectors for texts: unit vectors, the same for the same text, near each other for texts that share words or pieces of words. */
import { random, seedOf } from '../core/values.ts';
import { tokensOf } from '../chat/talk.ts';
import { withoutMarkers } from '../core/markers.ts';

/** Coordinates that one feature of a text moves. */
const SPREAD = 8;
const WORD_WEIGHT = 2;
const PIECE_WEIGHT = 1;
const PIECE = 3;

/** The unit vector of a text. */
export function vectorOfText(text: string, dimensions: number): number[] {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    features.set(feature, (features.get(feature) ?? 0) + weight);
  };
  for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+|[^\s\p{L}\p{N}]/gu) ?? [text]) {
    add(`word ${word}`, WORD_WEIGHT);
    const padded = `<${word}>`;
    for (let at = 0; at + PIECE <= padded.length; at += 1) add(`piece ${padded.slice(at, at + PIECE)}`, PIECE_WEIGHT);
  }
  return unit(features, dimensions);
}

/** The unit vector of token ids. */
export function vectorOfTokens(tokens: readonly number[], dimensions: number): number[] {
  const features = new Map<string, number>();
  for (const token of tokens) features.set(`token ${token}`, (features.get(`token ${token}`) ?? 0) + 1);
  return unit(features, dimensions);
}

/** How alike two texts are, −1 to 1. */
export function similarity(one: string, other: string): number {
  const [left, right] = [vectorOfText(one, 512), vectorOfText(other, 512)];
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

function unit(features: ReadonlyMap<string, number>, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const [feature, weight] of features) {
    const next = random(seedOf(feature));
    for (let step = 0; step < SPREAD; step += 1) {
      const at = Math.floor(next() * dimensions);
      vector[at] = (vector[at] ?? 0) + (next() < 0.5 ? -weight : weight);
    }
  }
  const length = Math.hypot(...vector);
  // Opposite features may cancel each other where there are few dimensions.
  if (length === 0) vector[0] = 1;
  return vector.map((value) => Math.fround(value / (length || 1)));
}

/** As servers write a vector that is asked for as base64. */
export function asBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString('base64');
}

/** A vector in numbers of another type: 8-bit ones, or bits of which eight are packed into one. */
export function quantized(vector: readonly number[], type: string): number[] {
  if (type === 'float') return [...vector];
  const isSigned = type === 'int8' || type === 'binary';
  if (type.endsWith('int8')) {
    const most = Math.max(...vector.map(Math.abs)) || 1;
    return vector.map((value) => Math.round((value / most) * 127) + (isSigned ? 0 : 128));
  }
  const packed: number[] = [];
  for (let at = 0; at < vector.length; at += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit += 1) byte = byte * 2 + ((vector[at + bit] ?? 0) > 0 ? 1 : 0);
    packed.push(isSigned ? byte - 128 : byte);
  }
  return packed;
}

export interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
}

/** The best first, as many as are wanted. */
export function ranked(query: string, documents: readonly string[], topN = documents.length): Ranked[] {
  const asked = withoutMarkers(query);
  return documents
    .map((document, index) => ({ index, relevance_score: Math.max(0, similarity(asked, document)) }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, topN);
}

/** What vendors count: the query once for each document. */
export function rankingTokens(query: string, documents: readonly string[]): number {
  const asked = tokensOf(withoutMarkers(query));
  return documents.reduce((sum, document) => sum + asked + tokensOf(document), 0);
}
