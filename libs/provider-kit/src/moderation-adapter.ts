/** What a vendor of moderation must answer. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Generated, Upstream } from './adapter.ts';

/** A text, or a picture or something else that counts as one. */
export interface ModerationPart {
  readonly type: string;
  readonly text?: string;
}
export interface ModerationCreate {
  /** Texts that each have a result, or parts that have one together. */
  readonly input: readonly string[] | readonly ModerationPart[];
  /** How many results there will be. */
  readonly results: number;
  /** The caller's body as it came: sent nearly as it is where the vendor's wire has this very form. */
  readonly body: JsonObject;
}
export interface ModerationReply {
  /** The vendor's answer as it came. */
  readonly body: JsonObject;
  /** As the vendor gives them; core checks that there are as many as there should be, each a verdict. */
  readonly results: readonly JsonObject[];
}
export interface ModerationAdapter {
  /** `usage` is empty where the vendor reports none. */
  moderate(input: ModerationCreate, upstream: Upstream): Promise<Generated<ModerationReply>>;
}
