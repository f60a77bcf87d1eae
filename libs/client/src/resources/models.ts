/** The catalogue. */
import type { Call } from '../call.ts';
import type { Schemas } from '../operations.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** What can be named in `model`. */
export class Models extends Resource {
  /** Every model this key may use, with its kind, formats, limits and price. Await it for the whole list, or iterate it. */
  list(options?: RequestOptions): Call<Schemas['ModelList']> & AsyncIterable<Schemas['ModelList']['data'][number]> {
    // Without the header of another SDK the answer has OpenAI's form.
    const call = this.core.call('listModels', {}, options) as Call<Schemas['ModelList']>;
    return Object.assign(call, {
      async *[Symbol.asyncIterator]() {
        yield* (await call).data;
      },
    });
  }
  /** One model. */
  get(model: string, options?: RequestOptions): Call<Schemas['CatalogueModel']> {
    return this.core.call('getModel', { path: { model } }, options) as Call<Schemas['CatalogueModel']>;
  }
}
