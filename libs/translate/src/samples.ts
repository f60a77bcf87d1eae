/** Samples of a wire format: for the tests over all formats, and for the tables of what translations keep (docs/guides/fidelity.md). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { Target } from './dialect.ts';
import { formatSse } from './shared/sse.ts';

/** What a request may have, in the order of the tables. */
export const FEATURES = [
  'system instruction',
  'image, Base64',
  'image, web address',
  'PDF',
  'sound in',
  'tools',
  'a tool must be called',
  'one call at a time',
  'strict tool arguments',
  'web search',
  'JSON schema of the answer',
  'reasoning effort',
  'thinking budget',
  'temperature',
  'top_p',
  'top_k',
  'stop sequences',
  'seed',
  'penalties',
  'several answers',
  'log probabilities',
  'cache marks',
  'user label',
  'metadata',
  'earlier response by id',
  'cached content by name',
  'a field nobody knows',
] as const;
export type Feature = (typeof FEATURES)[number];

export interface DialectSamples {
  /** A model of the vendor whose wire this is. */
  readonly target: Target;
  /** The plainest request. */
  readonly plain: JsonObject;
  /** What is added to it for a feature; a wire that cannot say it has none. */
  readonly features: Readonly<Partial<Record<Feature, JsonObject>>>;
  /** A whole stream whose text is these pieces, as its vendor writes it. */
  textStream(pieces: readonly string[]): string;
  /** The text in one event's data. */
  textOf(data: JsonObject): string;
}

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YQAAAAA=';
export const PDF = 'JVBERi0xLjQKJSVFT0YK';
export const LINK = 'https://media.example.com/picture.png';
export const SCHEMA: JsonObject = {
  type: 'object',
  properties: { harbour: { type: 'string' } },
  required: ['harbour'],
  additionalProperties: false,
};

/** One event of a stream. */
export function sseEvent(data: Json, name?: string): string {
  return formatSse(JSON.stringify(data), name);
}
