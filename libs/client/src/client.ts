/** The client: the operations of the document under readable names, and any of them by its id. */
import type { BinaryReply } from './binary.ts';
import type { Call } from './call.ts';
import { Core, type ClientOptions } from './core.ts';
import type { BodyOf, Schemas } from './operations.ts';
import { adminOf } from './resources/admin.ts';
import { chatOf, contentsOf, messagesOf, responsesOf } from './resources/chat.ts';
import { imagesOf, speechOf } from './resources/media.ts';
import { subjectsOf, videoObjectsOf, videosOf } from './resources/videos.ts';
import type { RequestOptions } from './transport.ts';

/** Makes a client. Throws TypeError when no address is given or set. */
export function createClient(options: ClientOptions = {}): Client {
  return new Client(options);
}

export class Client extends Core {
  /** The chat-completions format. */
  readonly chat = chatOf(this);
  /** The responses format. */
  readonly responses = responsesOf(this);
  /** The messages format. */
  readonly messages = messagesOf(this);
  /** The generateContent format. */
  readonly contents = contentsOf(this);
  readonly images = imagesOf(this);
  readonly speech = speechOf(this);
  /** Video tasks. */
  readonly videos = videosOf(this);
  /** The same tasks as OpenAI's video objects. */
  readonly videoObjects = videoObjectsOf(this);
  /** Reusable characters for video family D. */
  readonly subjects = subjectsOf(this);
  readonly admin = adminOf(this);

  readonly models = {
    /** What can be named in `model`. */
    list: (options?: RequestOptions): Call<Schemas['ModelList']> =>
      this.call('listModels', {}, options) as Call<Schemas['ModelList']>,
    get: (model: string, options?: RequestOptions): Call<Schemas['Model']> =>
      this.call('getModel', { path: { model } }, options) as Call<Schemas['Model']>,
  };

  /** What a request would cost; nothing is sent to a vendor. */
  estimate(body: BodyOf<'createEstimate'>, options?: RequestOptions): Call<Schemas['Estimate']> {
    return this.call('createEstimate', { body }, options);
  }

  /** Opens a link out of an answer: a picture, a video, a file of the gateway. No key goes with it. */
  file(url: string, options?: RequestOptions): Call<BinaryReply> {
    return this.fetchFile(new URL(url, `${this.baseUrl}/`).href, options);
  }
}
