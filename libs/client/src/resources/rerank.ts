/** Documents sorted by how well they answer a query. */
import { sentOf, type BodyFor, type OtherModel } from '../bodies.ts';
import type { Call } from '../call.ts';
import type { RerankModelCode } from '../generated/models.ts';
import type { Schemas } from '../operations.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** What rerank calls can name. */
export type RerankModel = RerankModelCode | OtherModel;
/** A body of reranking. */
export type RerankBody = BodyFor<'createRerank', RerankModel>;

/** Documents sorted by how well they answer a query. */
export class Rerank extends Resource {
  /** The documents' places and scores, the best first. */
  create(body: RerankBody, options?: RequestOptions): Call<Schemas['RerankReply']> {
    return this.core.call('createRerank', { body: sentOf(body) }, options);
  }
}
