/** Music and sound effects. */
import type { BinaryReply } from '../binary.ts';
import { sentOf, type BodyFor, type OtherModel } from '../bodies.ts';
import type { Call } from '../call.ts';
import type { MusicModelCode } from '../generated/models.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** What music calls can name. */
export type MusicModel = MusicModelCode | OtherModel;
/** A body of music. */
export type MusicBody = BodyFor<'createMusic', MusicModel>;

/** Music and sound effects. */
export class Music extends Resource {
  /** Makes music; the file comes as it is made. */
  create(body: MusicBody, options?: RequestOptions): Call<BinaryReply> {
    return this.core.download('createMusic', { body: sentOf(body) }, options);
  }
}
