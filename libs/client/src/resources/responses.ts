/** The responses format: answers at once, as events or in the background, and what the gateway keeps of them. */
import { sentOf, type ResponseBody, type ResponseCompactBody, type ResponseCountBody } from '../bodies.ts';
import type { Call } from '../call.ts';
import { responseFormat } from '../formats/responses.ts';
import type { BodyOf, QueryOf, Schemas } from '../operations.ts';
import { pagesOf, type Pages } from '../pages.ts';
import type { EventStream } from '../stream.ts';
import { TaskCall } from '../task-call.ts';
import { sleep, type RequestOptions } from '../transport.ts';
import { waitFor, type WaitOptions } from '../wait-for-video.ts';
import type { AtOnce } from './chat.ts';
import { Resource } from './resource.ts';

type Reply = Schemas['ResponseReply'];
type Item = Schemas['ResponseKeptItem'];

/** The gateway sends what comes at once; a model may think for long. */
const FOLLOW_SILENCE_MS = 600_000;

/** The responses format. */
export class Responses extends Resource {
  /** Answers a conversation. */
  create(body: AtOnce<ResponseBody>, options?: RequestOptions): Call<Reply> {
    return this.core.call('createResponse', { body: sentOf(body) }, options);
  }
  /** Answers a conversation as events. */
  stream(body: ResponseBody, options?: RequestOptions): EventStream<Schemas['ResponseStreamEvent'], Reply> {
    return this.core.stream('createResponse', { body: sentOf(body, { stream: true }) }, responseFormat, options);
  }
  /** A conversation made short: its `output` is the `input` of the next request. */
  compact(body: ResponseCompactBody, options?: RequestOptions): Call<Schemas['ResponseCompaction']> {
    return this.core.call('compactResponse', { body: sentOf(body) }, options);
  }
  /** How many tokens an input has, with what it goes on from. */
  countTokens(body: ResponseCountBody, options?: RequestOptions): Call<Schemas['ResponseCountReply']> {
    return this.core.call('countResponseTokens', { body: sentOf(body) }, options);
  }
  /** Has a conversation answered in the background; `.wait()` on it waits for the end. */
  start(body: AtOnce<ResponseBody>, options: RequestOptions = {}): TaskCall<Reply, Reply> {
    const sent = this.core.open('createResponse', { body: sentOf(body, { background: true }) }, options, 'whole');
    return new TaskCall(sent, ({ id }, how) => this.wait(id, how));
  }
  /** A response that is kept, as it is now. */
  get(id: string, options?: RequestOptions): Call<Reply> {
    return this.core.call('getResponse', { path: { response_id: id } }, options);
  }
  /** The events of a response in the background, to its end; with `after`, those behind the event of that number. */
  follow(
    id: string,
    { after, ...options }: RequestOptions & { readonly after?: number } = {},
  ): EventStream<Schemas['ResponseStreamEvent'], Reply> {
    const query = { stream: true, ...(after !== undefined && { starting_after: after }) };
    const how = { timeoutMs: FOLLOW_SILENCE_MS, ...options };
    return this.core.stream('getResponse', { path: { response_id: id }, query }, responseFormat, how);
  }
  /** Resolves with the response when it is completed or incomplete; to be called again after an error, in any process. Throws TaskFailedError, TimeoutError, or the signal's reason. */
  wait(id: string, options?: WaitOptions<Reply>): Promise<Reply> {
    return waitFor(
      {
        id,
        look: (_seconds, request) => this.get(id, request),
        outcome({ status, error }) {
          if (status === 'failed' || status === 'cancelled') return error?.message ?? `the response is ${status}`;
          return status === 'queued' || status === 'in_progress' ? undefined : '';
        },
        mark: ({ status }) => status ?? '',
        sleep,
      },
      options,
    );
  }
  /** Goes on with a stream that was asked for with `resumable`, behind event `after`; without it from its beginning. */
  resume(
    streamId: string,
    after?: number,
    options?: RequestOptions,
  ): EventStream<Schemas['ResponseStreamEvent'], Reply> {
    return this.core.resume(streamId, after, responseFormat, options);
  }
  /** What a response was asked with, newest first. */
  inputItems(id: string, query: QueryOf<'listResponseInputItems'> = {}, options?: RequestOptions): Pages<Item> {
    const path = { response_id: id };
    return pagesOf((after) =>
      this.core.call('listResponseInputItems', { path, query: { ...query, ...after } }, options),
    );
  }
  /** Ends a response in the background; one that has ended is answered as it is. */
  cancel(id: string, options?: RequestOptions): Call<Reply> {
    return this.core.call('cancelResponse', { path: { response_id: id } }, options);
  }
  /** A 409 while it is worked on. */
  delete(id: string, options?: RequestOptions): Call<Schemas['ResponseDeleted']> {
    return this.core.call('deleteResponse', { path: { response_id: id } }, options);
  }
}

/** Lists of items that responses add to. */
export class Conversations extends Resource {
  create(body: BodyOf<'createConversation'> = {}, options?: RequestOptions): Call<Schemas['Conversation']> {
    return this.core.call('createConversation', { body }, options);
  }
  get(id: string, options?: RequestOptions): Call<Schemas['Conversation']> {
    return this.core.call('getConversation', { path: { conversation_id: id } }, options);
  }
  /** Replaces the metadata. */
  update(id: string, body: BodyOf<'updateConversation'>, options?: RequestOptions): Call<Schemas['Conversation']> {
    return this.core.call('updateConversation', { path: { conversation_id: id }, body }, options);
  }
  /** With its items; responses that were made in it stay. */
  delete(id: string, options?: RequestOptions): Call<Schemas['ConversationDeleted']> {
    return this.core.call('deleteConversation', { path: { conversation_id: id } }, options);
  }
  /** Newest first. */
  items(id: string, query: QueryOf<'listConversationItems'> = {}, options?: RequestOptions): Pages<Item> {
    const path = { conversation_id: id };
    return pagesOf((after) =>
      this.core.call('listConversationItems', { path, query: { ...query, ...after } }, options),
    );
  }
  /** Up to 20 at once, at the end. */
  addItems(
    id: string,
    body: BodyOf<'createConversationItems'>,
    options?: RequestOptions,
  ): Call<Schemas['ResponseItemList']> {
    return this.core.call('createConversationItems', { path: { conversation_id: id }, body }, options);
  }
  getItem(id: string, itemId: string, options?: RequestOptions): Call<Item> {
    return this.core.call('getConversationItem', { path: { conversation_id: id, item_id: itemId } }, options);
  }
  deleteItem(id: string, itemId: string, options?: RequestOptions): Call<Schemas['Conversation']> {
    return this.core.call('deleteConversationItem', { path: { conversation_id: id, item_id: itemId } }, options);
  }
}
