/** What a vendor of embeddings must answer. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Generated, Upstream } from './adapter.ts';

/** One text to be turned into a vector. */
export interface EmbeddingInput {
  /** The text, or the ids of its tokens by OpenAI's tokenizer. */
  readonly content: string | readonly number[];
  /** Parts that are no text, by their type (`image/png`; '' where none is said) and place: only a vendor of the caller's own wire is sent them. */
  readonly media?: readonly { readonly mime: string; readonly param: string }[];
  /** It as it came, where it is an object: Google's request, or an item of a list. */
  readonly body?: JsonObject;
  /** How long its own vector is to be, where each may say. */
  readonly dimensions?: number;
  /** What the vector is for, in Google's words: `RETRIEVAL_QUERY`. */
  readonly taskType?: string;
  readonly title?: string;
  /** Fields of the caller's that the form has no word for; of Google's requests, each of which has its own. */
  readonly extra?: JsonObject;
  /** Where it stands in the caller's body. */
  readonly param: string;
}
export interface EmbeddingCreate {
  /** The request the caller used: OpenAI's (`input`) or Google's (`contents`). Says what a field is called. */
  readonly shape: 'input' | 'contents';
  /** The caller's body as it came: sent nearly as it is where the vendor's wire has this very form. */
  readonly body: JsonObject;
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  readonly dimensions?: number;
  /** What the caller wants to read; an adapter asks for it where its vendor can, and answers either. */
  readonly encoding: 'float' | 'base64';
  readonly user?: string;
  /** Fields of the caller's that the form has no word for. */
  readonly extra: JsonObject;
}
/** A vector: its numbers, or the bytes of 32-bit floats, little-endian, as base64. */
export type Vector = readonly number[] | string;
export interface EmbeddingReply {
  /** In the order of the inputs, one for each, which core checks; empty where the caller asked for a form that only the vendor knows. */
  readonly vectors: readonly Vector[];
  /** What the vendor answered, where its wire is the caller's own: the whole, and each item of its list in the order of the inputs without what is among `vectors`. */
  readonly answer?: { readonly body: JsonObject; readonly items: readonly JsonObject[] };
}
export interface EmbeddingAdapter {
  /** Asks for all inputs, in as many calls as the vendor needs. `usage` is empty where the vendor reports none. Throws `invalid_request` for inputs that the vendor has no words for. */
  embed(input: EmbeddingCreate, upstream: Upstream): Promise<Generated<EmbeddingReply>>;
}
