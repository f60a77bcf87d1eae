/** The four chat formats. Every chat model can be named in each of them. */
import type { Call } from '../call.ts';
import { chatFormat } from '../formats/chat.ts';
import { contentFormat } from '../formats/contents.ts';
import { messageFormat } from '../formats/messages.ts';
import { responseFormat } from '../formats/responses.ts';
import type { BodyOf, HeadersOf, Schemas } from '../operations.ts';
import type { EventStream } from '../stream.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** A body of a call that answers at once. */
export type AtOnce<Body> = Body & { readonly stream?: false | null };

/** The chat-completions format. */
export class Chat extends Resource {
  /** Answers a conversation. */
  create(body: AtOnce<BodyOf<'createChatCompletion'>>, options?: RequestOptions): Call<Schemas['ChatCompletion']> {
    return this.core.call('createChatCompletion', { body }, options);
  }
  /** Answers a conversation piece by piece. */
  stream(
    body: BodyOf<'createChatCompletion'>,
    options?: RequestOptions,
  ): EventStream<Schemas['ChatCompletionChunk'], Schemas['ChatCompletion']> {
    return this.core.stream('createChatCompletion', { body: { ...body, stream: true } }, chatFormat, options);
  }
}

/** The responses format. */
export class Responses extends Resource {
  /** Answers a conversation. */
  create(body: AtOnce<BodyOf<'createResponse'>>, options?: RequestOptions): Call<Schemas['ResponseReply']> {
    return this.core.call('createResponse', { body }, options);
  }
  /** Answers a conversation as events. */
  stream(
    body: BodyOf<'createResponse'>,
    options?: RequestOptions,
  ): EventStream<Schemas['ResponseStreamEvent'], Schemas['ResponseReply']> {
    return this.core.stream('createResponse', { body: { ...body, stream: true } }, responseFormat, options);
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
  create(body: AtOnce<BodyOf<'createMessage'>>, options?: MessageOptions): Call<Schemas['Message']> {
    return this.core.call('createMessage', { body, header: headersOf(options) }, options);
  }
  /** Answers a conversation as events. */
  stream(
    body: BodyOf<'createMessage'>,
    options?: MessageOptions,
  ): EventStream<Schemas['MessageStreamEvent'], Schemas['Message']> {
    const header = headersOf(options);
    return this.core.stream('createMessage', { body: { ...body, stream: true }, header }, messageFormat, options);
  }
  /** How many tokens a conversation has. */
  countTokens(body: BodyOf<'countMessageTokens'>, options?: MessageOptions): Call<Schemas['CountTokensReply']> {
    return this.core.call('countMessageTokens', { body, header: headersOf(options) }, options);
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
  generate(
    model: string,
    body: BodyOf<'generateContent'>,
    options?: RequestOptions,
  ): Call<Schemas['GenerateContentReply']> {
    return this.core.call('generateContent', { path: { model }, body }, options);
  }
  /** Answers a conversation piece by piece. */
  stream(
    model: string,
    body: BodyOf<'streamGenerateContent'>,
    options?: RequestOptions,
  ): EventStream<Schemas['GenerateContentReply'], Schemas['GenerateContentReply']> {
    const input = { path: { model }, query: { alt: 'sse' as const }, body };
    return this.core.stream('streamGenerateContent', input, contentFormat, options);
  }
  /** How many tokens a conversation has. */
  countTokens(
    model: string,
    body: BodyOf<'countContentTokens'>,
    options?: RequestOptions,
  ): Call<Schemas['CountContentTokensReply']> {
    return this.core.call('countContentTokens', { path: { model }, body }, options);
  }
}
