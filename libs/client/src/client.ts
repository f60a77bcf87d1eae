/** The client: the operations of the document under readable names, and any of them by its id. */
import type { Call } from './call.ts';
import { Core, type ClientOptions } from './core.ts';
import type { BodyOf, Schemas } from './operations.ts';
import { Account } from './resources/account.ts';
import { Batches } from './resources/batches.ts';
import { Chat, Completions, Contents, Messages } from './resources/chat.ts';
import { Embeddings } from './resources/embeddings.ts';
import { Files } from './resources/files.ts';
import { Images, Speech } from './resources/media.ts';
import { Models } from './resources/models.ts';
import { Transcriptions } from './resources/transcriptions.ts';
import { Moderations } from './resources/moderations.ts';
import { Music } from './resources/music.ts';
import { Realtime } from './resources/realtime.ts';
import { Rerank } from './resources/rerank.ts';
import { Conversations, Responses } from './resources/responses.ts';
import { Subjects, VideoObjects, Videos } from './resources/videos.ts';
import type { RequestOptions } from './transport.ts';

export type * from './resources/embeddings.ts';
export type * from './resources/files.ts';
export { vectorsOf } from './resources/embeddings.ts';
export type * from './resources/moderations.ts';
export type * from './resources/music.ts';
export type * from './resources/rerank.ts';
export type * from './resources/transcriptions.ts';
export type { Client };

/** Makes a client. Throws TypeError when no address is given or set. */
export function createClient(options: ClientOptions = {}): Client {
  return new Client(options);
}

class Client extends Core {
  /** The chat-completions format. */
  readonly chat = new Chat(this);
  /** Text completions. */
  readonly completions = new Completions(this);
  /** The responses format. */
  readonly responses = new Responses(this);
  /** Lists of items that responses add to. */
  readonly conversations = new Conversations(this);
  /** The messages format. */
  readonly messages = new Messages(this);
  /** The generateContent format. */
  readonly contents = new Contents(this);
  /** Many chats at once, answered within a day. */
  readonly batches = new Batches(this);
  /** Pictures. */
  readonly images = new Images(this);
  /** Spoken text. */
  readonly speech = new Speech(this);
  /** Music and sound effects. */
  readonly music = new Music(this);
  /** Recordings, written down. */
  readonly transcriptions = new Transcriptions(this);
  /** Texts as vectors. */
  readonly embeddings = new Embeddings(this);
  /** Whether texts and pictures are harmful. */
  readonly moderations = new Moderations(this);
  /** Documents sorted by a query. */
  readonly rerank = new Rerank(this);
  /** Tokens for realtime conversations. */
  readonly realtime = new Realtime(this);
  /** Files that other requests name by their id. */
  readonly files = new Files(this);
  /** Video tasks. */
  readonly videos = new Videos(this);
  /** The same tasks as OpenAI's video objects. */
  readonly videoObjects = new VideoObjects(this);
  /** Reusable characters for video family D. */
  readonly subjects = new Subjects(this);

  /** What can be named in `model`. */
  readonly models = new Models(this);

  /** What this key may know of itself and its owner: limits, balance, usage, requests, the ledger. */
  readonly account = new Account(this);

  /** What a request would cost; nothing is sent to a vendor. */
  estimate(body: BodyOf<'createEstimate'>, options?: RequestOptions): Call<Schemas['Estimate']> {
    return this.call('createEstimate', { body }, options);
  }
}
