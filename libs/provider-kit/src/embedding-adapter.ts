/** What a vendor of embeddings must answer. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Generated, Upstream } from './adapter.ts';

/** What the numbers of a vector are; of `binary` and `ubinary` each packs eight of them, one bit each. */
export type VectorType = 'float' | 'int8' | 'uint8' | 'binary' | 'ubinary';
/** What vectors are for. */
export type EmbeddingPurpose =
  | 'query'
  | 'document'
  | 'similarity'
  | 'classification'
  | 'clustering'
  | 'question'
  | 'fact'
  | 'code';
/** A piece of an input: a picture is an http(s) or a data: URL. */
export type EmbeddingPart = { readonly text: string } | { readonly image: string };

/** One text to be turned into a vector. */
export interface EmbeddingInput {
  /** The text, or the ids of its tokens by OpenAI's tokenizer. */
  readonly content: string | readonly number[];
  /** Parts that are no text, by their type (`image/png`; '' where none is said) and place. */
  readonly media?: readonly { readonly mime: string; readonly param: string }[];
  /** All of it in order, where it has pictures and nothing that is neither text nor picture; without them only a vendor of the caller's own wire is sent what has `media`. */
  readonly parts?: readonly EmbeddingPart[];
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
/** A setting that vendors have different words for. */
export type EmbeddingSetting = 'dimensions' | 'types' | 'purpose' | 'truncate' | 'lateChunking' | 'sparse';
export interface EmbeddingCreate {
  /** The request the caller used: OpenAI's (`input`), Google's (`contents`) or Cohere's (`typed`). Says what a field is called. */
  readonly shape: 'input' | 'contents' | 'typed';
  /** The caller's body as it came: sent nearly as it is where the vendor's wire has this very form. */
  readonly body: JsonObject;
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  readonly dimensions?: number;
  /** What numbers are wanted, each sort once; floats alone when absent. */
  readonly types?: readonly VectorType[];
  readonly purpose?: EmbeddingPurpose;
  /** What becomes of a text that is too long: a refusal, or it loses its start or its end. */
  readonly truncate?: 'none' | 'start' | 'end';
  /** Whether the inputs are read as pieces of one text. */
  readonly lateChunking?: boolean;
  /** Whether sparse vectors are wanted, beside the others or alone. */
  readonly sparse?: 'only' | 'beside';
  /** What the caller called these settings. */
  readonly names?: Readonly<Partial<Record<EmbeddingSetting, string>>>;
  /** What the caller wants to read; an adapter asks for it where its vendor can, and answers either. */
  readonly encoding: 'float' | 'base64';
  readonly user?: string;
  /** Fields of the caller's that the form has no word for. */
  readonly extra: JsonObject;
}
/** A vector: its numbers, or their bytes as base64: 32-bit floats, little-endian, or 8-bit whole numbers. */
export type Vector = readonly number[] | string;
export interface EmbeddingReply {
  /** In the order of the inputs, one for each, which core checks; empty where the caller asked for a form that only the vendor knows. Of the first of `types`. */
  readonly vectors: readonly Vector[];
  /** The vectors of the further types. */
  readonly further?: Readonly<Partial<Record<VectorType, readonly Vector[]>>>;
  /** What the vendor answered, where its wire is the caller's own: the whole, and each item of its list in the order of the inputs without what is among `vectors`. */
  readonly answer?: { readonly body: JsonObject; readonly items: readonly JsonObject[] };
}
export interface EmbeddingAdapter {
  /** Asks for all inputs, in as many calls as the vendor needs. `usage` is empty where the vendor reports none. Throws `invalid_request` for inputs that the vendor has no words for. */
  embed(input: EmbeddingCreate, upstream: Upstream): Promise<Generated<EmbeddingReply>>;
}
