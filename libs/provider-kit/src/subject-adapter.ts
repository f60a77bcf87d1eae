/** What a vendor of reusable subjects must answer. */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { Fault, Upstream } from './adapter.ts';

export interface SubjectCreate {
  readonly name: string;
  readonly description: string;
  readonly referenceType: string;
  readonly frontalImage?: string;
  readonly referImages: readonly string[];
  readonly referVideos: readonly string[];
  readonly voiceId?: string;
  readonly tags: readonly string[];
  readonly dedupeKey: string;
  readonly extra: JsonObject;
}
export type SubjectProgress =
  | { readonly state: 'running'; readonly percent?: number; readonly payload: Json }
  | { readonly state: 'succeeded'; readonly subjectIds: readonly string[]; readonly payload: Json }
  | { readonly state: 'failed'; readonly fault: Fault; readonly payload: Json }
  /** As for videos. */
  | { readonly state: 'missing'; readonly payload: Json }
  | { readonly state: 'unknown'; readonly word: string; readonly payload: Json };
export interface SubjectAdapter {
  start(input: SubjectCreate, upstream: Upstream): Promise<{ readonly ticket: JsonObject }>;
  /** `payload` is the vendor's detail body in the `Response` envelope of docs/service.md, whatever the vendor's own shape is. */
  check(ticket: JsonObject, upstream: Upstream): Promise<SubjectProgress>;
  /** As for videos. */
  reconcile?(
    input: Pick<SubjectCreate, 'dedupeKey'> & { readonly submittedAt: number },
    upstream: Upstream,
  ): Promise<JsonObject | undefined>;
}
