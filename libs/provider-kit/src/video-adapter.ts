/** What a vendor of videos must answer. */
import type { Json, JsonObject, Usage } from '@model-gateway/contracts';
import type { Account, Fault, MediaFile, MediaRequest, Upstream } from './adapter.ts';

/** The six request shapes of families A B C D E F (docs/architecture.md#configuration). */
export type VideoShape = 'content' | 'input' | 'image-urls' | 'omni' | 'prompt' | 'seconds';

/** The bodies that callers can use: those of the families, and Google's (`instances`), which every video model takes. */
export type VideoBodyShape = VideoShape | 'instances';

/** The neutral form of the body shapes. */
export interface VideoCreate {
  readonly shape: VideoBodyShape;
  /** The caller's body as it came (callback_url removed): forwarded nearly as it is where the vendor's wire has this very shape. */
  readonly body: JsonObject;
  readonly prompt?: string;
  readonly negativePrompt?: string;
  readonly images: readonly VideoInput<'first_frame' | 'last_frame' | 'reference'>[];
  readonly videos: readonly VideoInput<'reference' | 'base' | 'first_clip'>[];
  readonly audios: readonly VideoInput<'reference' | 'driving'>[];
  /** Ids of reusable subjects (family D). */
  readonly subjects: readonly string[];
  /** Seconds. */
  readonly duration?: number;
  /** `720p`, `1080P`, `4k`: as the caller wrote it. */
  readonly resolution?: string;
  /** `16:9`, `adaptive`. */
  readonly ratio?: string;
  /** `1280x720`. */
  readonly size?: string;
  readonly seed?: number;
  readonly watermark?: boolean;
  readonly audio?: boolean;
  /** Of a video that is made from another one. */
  readonly source?: VideoSource;
  /** Unique to this task and unguessable: the vendor's dedupe key where it has one (Tencent SessionId, Kling external_task_id). At most 40 characters. */
  readonly dedupeKey: string;
  /** Where the vendor may tell that the job has news, for an adapter with `webhooks`; unguessable. */
  readonly webhookUrl?: string;
  /** What the form has no word for, by the caller's own name. */
  readonly extra: JsonObject;
}
/** How a finished video is made into another one. */
export type VideoChange = 'remix' | 'edit' | 'extend';

/** The finished video that another one is made from. */
export interface VideoSource {
  readonly change: VideoChange;
  /** What its vendor gave for it: of use to the account that made it alone. */
  readonly ticket: JsonObject;
}

export interface VideoInput<Role extends string> {
  readonly role: Role;
  /** https, data: or asset:// */
  readonly url: string;
  readonly param: string;
}

export type VideoProgress =
  | {
      readonly state: 'queued' | 'running';
      /** 0–99 where the vendor says. */
      readonly percent?: number;
      readonly checkAfterMs?: number;
      /** The vendor's poll body, for `data.data`. */
      readonly payload: Json;
    }
  | { readonly state: 'succeeded'; readonly files: readonly MediaFile[]; readonly usage: Usage; readonly payload: Json }
  | { readonly state: 'failed'; readonly fault: Fault; readonly payload: Json }
  /** The vendor knows no such task (three in a row end it). */
  | { readonly state: 'missing'; readonly payload: Json }
  /** A status word we do not know: keeps the state, is logged and counted. */
  | { readonly state: 'unknown'; readonly word: string; readonly payload: Json };

/** What a vendor sends to the address that it was given for a job. */
export interface VendorWebhook {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it came: signatures are of the bytes. */
  readonly body: Uint8Array;
}

/** A vendor that tells of its jobs. */
export interface WebhookReader {
  /** When the webhook was signed, milliseconds since 1970; undefined where the vendor signs none. Throws `unauthenticated` where the signature is not the vendor's. */
  signedAt(webhook: VendorWebhook, upstream: Upstream): Promise<number | undefined>;
}

export interface VideoAdapter {
  /** Absent where the vendor cannot be given an address. */
  readonly webhooks?: WebhookReader;
  /**
   * Which changes of a finished video an account makes, and what it knows the video by: its own ticket (`source`), or an address that is among
   * `videos`, as `first_clip` of an extension and as `base` of an edit. Absent: none.
   */
  changes?(account: Pick<Account, 'settings'>): Readonly<Partial<Record<VideoChange, 'ticket' | 'address'>>>;
  /** What `start` will fetch for this input: fetched before the account is asked. */
  media?(input: VideoCreate, account: Pick<Account, 'settings'>): readonly MediaRequest[];
  /** Asks once. `ticket` is stored as it is and given back to `check`, perhaps days later. */
  start(
    input: VideoCreate,
    upstream: Upstream,
  ): Promise<{ readonly ticket: JsonObject; readonly dropped: readonly string[] }>;
  check(ticket: JsonObject, upstream: Upstream): Promise<VideoProgress>;
  /** Throws GatewayError `conflict` when the vendor says it is too late. */
  cancel?(ticket: JsonObject, upstream: Upstream): Promise<void>;
  /** Finds the job of an unanswered `start` by its dedupe key: its ticket, or undefined when the vendor certainly has none. */
  reconcile?(
    input: Pick<VideoCreate, 'dedupeKey'> & { readonly submittedAt: number },
    upstream: Upstream,
  ): Promise<JsonObject | undefined>;
  /** A fresh link for a finished task whose link has expired. */
  refresh?(ticket: JsonObject, upstream: Upstream): Promise<readonly MediaFile[]>;
}
