/** The four chat formats. Every chat model can be named in each of them. */
import type { Call } from '../call.ts';
import type { Core } from '../core.ts';
import { chatFormat } from '../formats/chat.ts';
import { contentFormat } from '../formats/contents.ts';
import { messageFormat } from '../formats/messages.ts';
import { responseFormat } from '../formats/responses.ts';
import type { BodyOf, HeadersOf, Schemas } from '../operations.ts';
import type { EventStream } from '../stream.ts';
import type { RequestOptions } from '../transport.ts';

/** A body of a call that answers at once. */
type AtOnce<Body> = Body & { readonly stream?: false | null };
type MessageOptions = RequestOptions & { readonly betas?: readonly string[]; readonly version?: string };

export function chatOf(core: Core) {
  return {
    /** Answers a conversation. */
    create: (body: AtOnce<BodyOf<'createChatCompletion'>>, options?: RequestOptions): Call<Schemas['ChatCompletion']> =>
      core.call('createChatCompletion', { body }, options),
    /** Answers a conversation piece by piece. */
    stream: (
      body: BodyOf<'createChatCompletion'>,
      options?: RequestOptions,
    ): EventStream<Schemas['ChatCompletionChunk'], Schemas['ChatCompletion']> =>
      core.stream('createChatCompletion', { body: { ...body, stream: true } }, chatFormat, options),
  };
}

export function responsesOf(core: Core) {
  return {
    /** Answers a conversation. */
    create: (body: AtOnce<BodyOf<'createResponse'>>, options?: RequestOptions): Call<Schemas['Response']> =>
      core.call('createResponse', { body }, options),
    /** Answers a conversation as events. */
    stream: (
      body: BodyOf<'createResponse'>,
      options?: RequestOptions,
    ): EventStream<Schemas['ResponseStreamEvent'], Schemas['Response']> =>
      core.stream('createResponse', { body: { ...body, stream: true } }, responseFormat, options),
  };
}

export function messagesOf(core: Core) {
  const header = ({ betas, version }: MessageOptions = {}): HeadersOf<'createMessage'> => ({
    ...(version !== undefined && { 'anthropic-version': version }),
    ...(betas !== undefined && { 'anthropic-beta': betas.join(',') }),
  });
  return {
    /** Answers a conversation. */
    create: (body: AtOnce<BodyOf<'createMessage'>>, options?: MessageOptions): Call<Schemas['Message']> =>
      core.call('createMessage', { body, header: header(options) }, options),
    /** Answers a conversation as events. */
    stream: (
      body: BodyOf<'createMessage'>,
      options?: MessageOptions,
    ): EventStream<Schemas['MessageStreamEvent'], Schemas['Message']> =>
      core.stream(
        'createMessage',
        { body: { ...body, stream: true }, header: header(options) },
        messageFormat,
        options,
      ),
    /** How many tokens a conversation has. */
    countTokens: (body: BodyOf<'countMessageTokens'>, options?: MessageOptions): Call<Schemas['CountTokensReply']> =>
      core.call('countMessageTokens', { body, header: header(options) }, options),
  };
}

export function contentsOf(core: Core) {
  return {
    /** Answers a conversation; some models answer with pictures. */
    generate: (
      model: string,
      body: BodyOf<'generateContent'>,
      options?: RequestOptions,
    ): Call<Schemas['GenerateContentResponse']> => core.call('generateContent', { path: { model }, body }, options),
    /** Answers a conversation piece by piece. */
    stream: (
      model: string,
      body: BodyOf<'streamGenerateContent'>,
      options?: RequestOptions,
    ): EventStream<Schemas['GenerateContentResponse'], Schemas['GenerateContentResponse']> =>
      core.stream('streamGenerateContent', { path: { model }, query: { alt: 'sse' }, body }, contentFormat, options),
    /** How many tokens a conversation has. */
    countTokens: (
      model: string,
      body: BodyOf<'countContentTokens'>,
      options?: RequestOptions,
    ): Call<Schemas['CountContentTokensReply']> => core.call('countContentTokens', { path: { model }, body }, options),
  };
}
