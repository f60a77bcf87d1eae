/** The four chat formats and text completions. Every chat model can be named in each of them. */
import {
  sentOf,
  type ChatBody,
  type ChatModel,
  type CompletionBody,
  type ContentBody,
  type ContentCountBody,
  type MessageBody,
  type MessageCountBody,
} from '../bodies.ts';
import type { Call } from '../call.ts';
import { chatFormat, completionFormat } from '../formats/chat.ts';
import { contentFormat } from '../formats/contents.ts';
import { messageFormat } from '../formats/messages.ts';
import type { BodyOf, HeadersOf, QueryOf, Schemas } from '../operations.ts';
import { pagesOf, type Pages } from '../pages.ts';
import type { EventStream } from '../stream.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** A body of a call that answers at once. */
export type AtOnce<Body> = Body & { readonly stream?: false | null };

/** The chat-completions format. */
export class Chat extends Resource {
  /** Answers a conversation. */
  create(body: AtOnce<ChatBody>, options?: RequestOptions): Call<Schemas['ChatCompletion']> {
    return this.core.call('createChatCompletion', { body: sentOf(body) }, options);
  }
  /** Answers a conversation piece by piece. */
  stream(
    body: ChatBody,
    options?: RequestOptions,
  ): EventStream<Schemas['ChatCompletionChunk'], Schemas['ChatCompletion']> {
    return this.core.stream('createChatCompletion', { body: sentOf(body, { stream: true }) }, chatFormat, options);
  }
  /** Goes on with a stream that was asked for with `resumable`, behind event `after`; without it from its beginning. */
  resume(
    streamId: string,
    after?: number,
    options?: RequestOptions,
  ): EventStream<Schemas['ChatCompletionChunk'], Schemas['ChatCompletion']> {
    return this.core.resume(streamId, after, chatFormat, options);
  }
  /** Answers that were asked for with `store: true`, oldest first; `metadata` lists those alone that have all of these pairs. */
  list(
    { metadata = {}, ...query }: CompletionListQuery = {},
    options?: RequestOptions,
  ): Pages<Schemas['ChatCompletion']> {
    const pairs: Readonly<Record<string, string>> = Object.fromEntries(
      Object.entries(metadata).map(([name, text]) => [`metadata[${name}]`, text] as const),
    );
    return pagesOf((after) =>
      this.core.call('listChatCompletions', { query: { ...query, ...pairs, ...after } }, options),
    );
  }
  /** One of them. */
  get(id: string, options?: RequestOptions): Call<Schemas['ChatCompletion']> {
    return this.core.call('getChatCompletion', { path: { completion_id: id } }, options);
  }
  /** What one of them was asked with, oldest first. */
  messages(
    id: string,
    query: QueryOf<'listChatCompletionMessages'> = {},
    options?: RequestOptions,
  ): Pages<Schemas['ChatStoredMessage']> {
    const path = { completion_id: id };
    return pagesOf((after) =>
      this.core.call('listChatCompletionMessages', { path, query: { ...query, ...after } }, options),
    );
  }
  /** Replaces the metadata. */
  update(id: string, body: BodyOf<'updateChatCompletion'>, options?: RequestOptions): Call<Schemas['ChatCompletion']> {
    return this.core.call('updateChatCompletion', { path: { completion_id: id }, body }, options);
  }
  delete(id: string, options?: RequestOptions): Call<Schemas['ChatCompletionDeleted']> {
    return this.core.call('deleteChatCompletion', { path: { completion_id: id } }, options);
  }
}

/** Which kept chat completions are listed. */
export interface CompletionListQuery extends NonNullable<QueryOf<'listChatCompletions'>> {
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Text completions, and texts with a gap that is filled. */
export class Completions extends Resource {
  /** Completes a text. */
  create(body: AtOnce<CompletionBody>, options?: RequestOptions): Call<Schemas['Completion']> {
    return this.core.call('createCompletion', { body: sentOf(body) }, options);
  }
  /** Completes a text piece by piece. */
  stream(body: CompletionBody, options?: RequestOptions): EventStream<Schemas['Completion'], Schemas['Completion']> {
    return this.core.stream('createCompletion', { body: sentOf(body, { stream: true }) }, completionFormat, options);
  }
  /** Goes on with a stream that was asked for with `resumable`, behind event `after`; without it from its beginning. */
  resume(
    streamId: string,
    after?: number,
    options?: RequestOptions,
  ): EventStream<Schemas['Completion'], Schemas['Completion']> {
    return this.core.resume(streamId, after, completionFormat, options);
  }
}

export interface MessageOptions extends RequestOptions {
  /** `anthropic-beta`: passed on to Anthropic, and only there. */
  readonly betas?: readonly string[];
  /** `anthropic-version`, such as `2023-06-01`. */
  readonly version?: string;
}

/** The messages format. */
export class Messages extends Resource {
  /** Answers a conversation. */
  create(body: AtOnce<MessageBody>, options?: MessageOptions): Call<Schemas['Message']> {
    return this.core.call('createMessage', { body: sentOf(body), header: headersOf(options) }, options);
  }
  /** Answers a conversation as events. */
  stream(body: MessageBody, options?: MessageOptions): EventStream<Schemas['MessageStreamEvent'], Schemas['Message']> {
    const header = headersOf(options);
    return this.core.stream('createMessage', { body: sentOf(body, { stream: true }), header }, messageFormat, options);
  }
  /** Goes on with a stream that was asked for with `resumable`, behind event `after`; without it from its beginning. */
  resume(
    streamId: string,
    after?: number,
    options?: RequestOptions,
  ): EventStream<Schemas['MessageStreamEvent'], Schemas['Message']> {
    return this.core.resume(streamId, after, messageFormat, options);
  }
  /** How many tokens a conversation has. */
  countTokens(body: MessageCountBody, options?: MessageOptions): Call<Schemas['CountTokensReply']> {
    return this.core.call('countMessageTokens', { body: sentOf(body), header: headersOf(options) }, options);
  }
}

function headersOf({ betas, version }: MessageOptions = {}): HeadersOf<'createMessage'> {
  return {
    ...(version !== undefined && { 'anthropic-version': version }),
    ...(betas !== undefined && { 'anthropic-beta': betas.join(',') }),
  };
}

/** The generateContent format. */
export class Contents extends Resource {
  /** Answers a conversation; some models answer with pictures. */
  generate(model: ChatModel, body: ContentBody, options?: RequestOptions): Call<Schemas['GenerateContentReply']> {
    return this.core.call('generateContent', { path: { model }, body: sentOf(body) }, options);
  }
  /** Answers a conversation piece by piece. */
  stream(
    model: ChatModel,
    body: ContentBody,
    options?: RequestOptions,
  ): EventStream<Schemas['GenerateContentReply'], Schemas['GenerateContentReply']> {
    const input = {
      path: { model },
      query: { alt: 'sse' as const },
      body: sentOf<BodyOf<'streamGenerateContent'>>(body),
    };
    return this.core.stream('streamGenerateContent', input, contentFormat, options);
  }
  /** Goes on with a stream that was asked for with `resumable`, behind event `after`; without it from its beginning. */
  resume(
    streamId: string,
    after?: number,
    options?: RequestOptions,
  ): EventStream<Schemas['GenerateContentReply'], Schemas['GenerateContentReply']> {
    return this.core.resume(streamId, after, contentFormat, options);
  }
  /** How many tokens a conversation has. */
  countTokens(
    model: ChatModel,
    body: ContentCountBody,
    options?: RequestOptions,
  ): Call<Schemas['CountContentTokensReply']> {
    return this.core.call('countContentTokens', { path: { model }, body: sentOf(body) }, options);
  }
}
