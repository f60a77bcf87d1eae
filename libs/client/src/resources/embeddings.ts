/** Texts as vectors. */
import { sentOf, type BodyFor, type OtherModel } from '../bodies.ts';
import type { Call } from '../call.ts';
import { bytesOf } from '../environment.ts';
import type { EmbeddingModelCode } from '../generated/models.ts';
import type { Schemas } from '../operations.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** What embedding calls can name. */
export type EmbeddingModel = EmbeddingModelCode | OtherModel;
/** A body of embeddings. */
export type EmbeddingBody = BodyFor<'createEmbedding', EmbeddingModel>;

/** Texts as vectors. */
export class Embeddings extends Resource {
  /** One vector for each text; `vectorsOf` reads them as numbers, however they came. */
  create(body: EmbeddingBody, options?: RequestOptions): Call<Schemas['EmbeddingReply']> {
    return this.core.call('createEmbedding', { body: sentOf(body) }, options);
  }
  /** Vectors of texts, pictures or both, a list for each type of numbers, in Cohere's form. */
  byType(body: BodyFor<'createEmbedV2', EmbeddingModel>, options?: RequestOptions): Call<Schemas['EmbedReply']> {
    return this.core.call('createEmbedV2', { body: sentOf(body) }, options);
  }
  /** One vector, in Google's form. */
  ofContent(
    model: EmbeddingModel,
    body: BodyFor<'embedContent'>,
    options?: RequestOptions,
  ): Call<Schemas['EmbedContentReply']> {
    return this.core.call('embedContent', { path: { model }, body: sentOf(body) }, options);
  }
  /** One vector for each content, in Google's form. */
  ofContents(
    model: EmbeddingModel,
    body: BodyFor<'batchEmbedContents'>,
    options?: RequestOptions,
  ): Call<Schemas['BatchEmbedContentsReply']> {
    return this.core.call('batchEmbedContents', { path: { model }, body: sentOf(body) }, options);
  }
}

/** The vectors of an answer in the order of the texts, as numbers, also where base64 of floats was asked for. */
export function vectorsOf({ data }: Schemas['EmbeddingReply']): number[][] {
  return data.map(({ embedding }) => (typeof embedding === 'string' ? floatsOf(bytesOf(embedding)) : embedding));
}

const BYTES = 4;

function floatsOf(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / BYTES }, (_, index) => view.getFloat32(index * BYTES, true));
}
