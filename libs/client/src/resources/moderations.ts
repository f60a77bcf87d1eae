/** Whether texts and pictures are harmful. */
import { sentOf, type BodyFor, type OtherModel } from '../bodies.ts';
import type { Call } from '../call.ts';
import type { ModerationModelCode } from '../generated/models.ts';
import type { Schemas } from '../operations.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** What moderation calls can name. */
export type ModerationModel = ModerationModelCode | OtherModel;
/** A body of moderation. */
export type ModerationBody = BodyFor<'createModeration', ModerationModel>;

/** Whether texts and pictures are harmful. */
export class Moderations extends Resource {
  /** One result for each text, or one for a list of parts. */
  create(body: ModerationBody, options?: RequestOptions): Call<Schemas['ModerationReply']> {
    return this.core.call('createModeration', { body: sentOf(body) }, options);
  }
}
