/** Batches: many requests at once, answered within a day when there is room. */
import type { Call } from '../call.ts';
import type { BodyOf, QueryOf, Schemas } from '../operations.ts';
import { pagesOf, type Pages } from '../pages.ts';
import { sleep, type RequestOptions } from '../transport.ts';
import { waitFor, type WaitOptions } from '../wait-for-video.ts';
import { Resource } from './resource.ts';

/** In Anthropic's form: requests come in the body. */
type Batch = Schemas['MessageBatch'];

/** Batches of chats with any model, in the messages format. */
export class Batches extends Resource {
  /** Up to 100,000 requests, each with an id of its own and a body of the messages format. */
  create(requests: BodyOf<'createMessageBatch'>['requests'], options?: RequestOptions): Call<Batch> {
    return this.core.call('createMessageBatch', { body: { requests } }, options);
  }
  /** How far it is. */
  get(id: string, options?: RequestOptions): Call<Batch> {
    return this.core.call('getMessageBatch', { path: { batch_id: id } }, options);
  }
  /** Newest first. */
  list(query: QueryOf<'listMessageBatches'> = {}, options?: RequestOptions): Pages<Batch> {
    return pagesOf(({ after }) => {
      const given = { ...query, ...(after !== undefined && { after_id: after }) };
      return this.core.call('listMessageBatches', { query: given }, options);
    });
  }
  /** Resolves with the batch when it has ended; to be called again after an error, in any process. Throws TimeoutError, or the signal's reason. */
  wait(id: string, options?: WaitOptions<Batch>): Promise<Batch> {
    return waitFor(
      {
        id,
        look: (_seconds, request) => this.get(id, request),
        outcome: ({ processing_status: status }) => (status === 'ended' ? '' : undefined),
        mark: ({ request_counts: { processing } }) => String(processing),
        sleep,
      },
      options,
    );
  }
  /** A result for each request, in their order; before the batch has ended, those that there are. */
  async *results(id: string, options?: RequestOptions): AsyncGenerator<Schemas['MessageBatchResult']> {
    const reply = await this.core.download('getMessageBatchResults', { path: { batch_id: id } }, options);
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of reply.chunks()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as Schemas['MessageBatchResult'];
    }
  }
  /** What has not begun does not begin any more. */
  cancel(id: string, options?: RequestOptions): Call<Batch> {
    return this.core.call('cancelMessageBatch', { path: { batch_id: id } }, options);
  }
  /** With its results. A 409 while it has not ended. */
  delete(id: string, options?: RequestOptions): Call<Schemas['MessageBatchDeleted']> {
    return this.core.call('deleteMessageBatch', { path: { batch_id: id } }, options);
  }
}
