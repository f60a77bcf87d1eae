/** The client: the operations of the document under readable names, and any of them by its id. */
import type { Call } from './call.ts';
import { Core, type ClientOptions } from './core.ts';
import type { BodyOf, Schemas } from './operations.ts';
import { Chat, Contents, Messages, Responses } from './resources/chat.ts';
import { Images, Speech } from './resources/media.ts';
import { Models } from './resources/models.ts';
import { Subjects, VideoObjects, Videos } from './resources/videos.ts';
import type { RequestOptions } from './transport.ts';

/** Makes a client. Throws TypeError when no address is given or set. */
export function createClient(options: ClientOptions = {}): Client {
  return new Client(options);
}

export class Client extends Core {
  /** The chat-completions format. */
  readonly chat = new Chat(this);
  /** The responses format. */
  readonly responses = new Responses(this);
  /** The messages format. */
  readonly messages = new Messages(this);
  /** The generateContent format. */
  readonly contents = new Contents(this);
  /** Pictures. */
  readonly images = new Images(this);
  /** Spoken text. */
  readonly speech = new Speech(this);
  /** Video tasks. */
  readonly videos = new Videos(this);
  /** The same tasks as OpenAI's video objects. */
  readonly videoObjects = new VideoObjects(this);
  /** Reusable characters for video family D. */
  readonly subjects = new Subjects(this);

  /** What can be named in `model`. */
  readonly models = new Models(this);

  /** What a request would cost; nothing is sent to a vendor. */
  estimate(body: BodyOf<'createEstimate'>, options?: RequestOptions): Call<Schemas['Estimate']> {
    return this.call('createEstimate', { body }, options);
  }
}
