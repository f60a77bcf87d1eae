/** What a vendor of moderation must answer. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Generated, Upstream } from './adapter.ts';

/** A text, or a picture by its address (https or data:). */
export type ModerationPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };
export interface ModerationCreate {
  /** Texts that each have a result, or parts that have one together. */
  readonly input: readonly string[] | readonly ModerationPart[];
  /** How many results there will be. */
  readonly results: number;
  /** Fields of the caller's that the form has no word for. */
  readonly extra: JsonObject;
}
export interface ModerationReply {
  readonly id?: string;
  /** As the vendor gives them; core checks that there are as many as there should be, each with `flagged`. */
  readonly results: readonly JsonObject[];
}
export interface ModerationAdapter {
  /** `usage` is empty where the vendor reports none. */
  moderate(input: ModerationCreate, upstream: Upstream): Promise<Generated<ModerationReply>>;
}
