/** The face of the task engine, and the narrow ports it needs beside the store. */
import type { GatewayError, Json, JsonObject, Usage } from '@model-gateway/contracts';
import type { ProviderAdapter, Upstream, VendorWebhook, VideoChange, VideoCreate } from '@model-gateway/provider-kit';
import type { GatewayAccount, ModelRow } from '../catalogue.ts';
import type { MediaControl } from '../paid/routed.ts';
import type { Trace } from '../paid/trace.ts';
import type { Caller, OpenAccount, OpenOffer, Parts } from '../parts.ts';
import type { IdempotencyAnswer, Payer, StoredMedia, TaskRecord, TaskState, WebhookDelivery } from '../ports.ts';
import type { Tenant } from '../ports/tenant.ts';
import type { SignedLinks } from './links.ts';
import type { VideoEndpoint } from '../kinds/video/video-body.ts';
import type { VideoBill } from '../kinds/video/video-price.ts';

/** A job at its vendor, with all that is needed to ask about it. */
export interface UpstreamHandle {
  readonly ticket: JsonObject;
  readonly account: GatewayAccount;
  readonly adapter: ProviderAdapter;
  readonly upstream: Upstream;
}

/** What a video costs. Pure: the engine decides when money moves, the store moves it. */
export interface TaskMoney {
  payer(caller: Caller): Payer;
  /** What to set aside before the vendor is asked, in quota units; `detail` is kept with the hold. */
  quote(row: ModelRow, input: VideoCreate, group: string): { readonly amount: number; readonly detail: JsonObject };
  /** What a finished video costs. `input` is the stored neutral input: `duration`, `resolution`, `size`, `audio`, … by their names in VideoCreate. */
  settle(row: ModelRow, group: string, reported: Usage, input: JsonObject): VideoBill;
}

/** Where finished files are kept: a folder or a bucket. */
export interface BlobStore {
  /** The location that a file of this name will have: known before its first byte comes. */
  locate(name: string): string;
  /** Keeps a file under a name of letters, digits, `-`, `_` and `.`; rejects, leaving nothing behind, when `body` breaks off. */
  put(
    name: string,
    mime: string,
    body: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly location: string; readonly size: number }>;
  /** Opens the bytes from `first` to `last`, both included. */
  open(
    location: string,
    range: { readonly first: number; readonly last: number },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Removes the file, or what has come of it. Idempotent. */
  remove(location: string): Promise<void>;
}

export interface TaskSettings {
  /** `tasks.poll_seconds`: what a plain poller would wait; the adaptive cadence never goes below a fifth of it. */
  readonly pollSeconds: number;
  /** `tasks.deadline_hours`, for models whose row has none. */
  readonly deadlineHours: number;
  /** `tasks.queue_seconds`: how long a task may wait for room at its account; 3600. */
  readonly queueSeconds?: number;
  /** Polls at the same time per account; 32. */
  readonly pollsPerAccount?: number;
  /** The longest one poll may take, seconds; 30. */
  readonly pollTimeoutSeconds?: number;
  /** Pauses before asking by the dedupe key whether an unanswered submission arrived, milliseconds. */
  readonly reconcileAfterMs?: readonly number[];
  /** Pauses between the attempts to write a ticket down, milliseconds: the vendor has the job, and the database may be back in a moment. */
  readonly ticketPausesMs?: readonly number[];
  /** After how long a row without a ticket is taken for the leftover of a dead process, seconds; computed from the account's deadlines. */
  readonly submitGraceSeconds?: number;
  /** `tasks.vendor_webhooks`: vendors are given an address at which they tell of their jobs. */
  readonly vendorWebhooks?: boolean;
  /** No other process works on this database: leftovers are settled at once at start. */
  readonly soleProcess?: boolean;
  /** Copies finished files to the blob store; `result_url` is then our own link to the copy. */
  readonly copyResults?: boolean;
  /** How long kept files live, hours; 168. */
  readonly keepFilesHours?: number;
  /** Tests: milliseconds that have passed, whatever the clock says. */
  readonly elapsed?: () => number;
  /** How long one attempt of a webhook may take in all, seconds; 15. */
  readonly webhookAnswerSeconds?: number;
  /** Pauses between the attempts of a webhook, seconds. */
  readonly webhookRetrySeconds?: readonly number[];
}

export interface TaskParts extends Parts {
  readonly openOffer: OpenOffer;
  readonly openAccount: OpenAccount;
  readonly settings: TaskSettings;
  readonly money: TaskMoney;
  /** Absent: finished files are not copied, and vendors that hand over bytes cannot be used. */
  readonly blobs?: BlobStore;
  /** Signs our own links, so that they work without a key. */
  readonly links: SignedLinks;
  /** Prints the webhook of a task that has ended, as it is kept and sent. */
  readonly webhookBody: (ended: EndedTask) => string;
}

/** What a webhook tells. */
export interface EndedTask {
  readonly task: TaskRecord;
  /** Empty after a failure. */
  readonly resultUrl: string;
  /** Milliseconds. */
  readonly at: number;
}

/** An answer as it is kept and given again. */
export type PrintedAnswer = Pick<IdempotencyAnswer, 'status' | 'headers' | 'body'>;

/** Prints what is kept for an Idempotency-Key, in the words of the route that was asked. */
export interface AnswerPrinter {
  /** `dropped` are the inputs that the vendor could not take. */
  created(task: TaskRecord, dropped: readonly string[]): PrintedAnswer;
  /** An error that a repetition gets too: `submission_unknown`. */
  refused(error: GatewayError): PrintedAnswer;
}

export interface CreateOptions {
  readonly endpoint: VideoEndpoint;
  /** Among the tasks of its owner, should it have to wait: the highest first; 0 when absent. */
  readonly priority?: number;
  /** What the caller says of the way that the request may take; absent: nothing. */
  readonly control?: MediaControl;
  readonly idempotency?: {
    readonly key: string;
    /** SHA-256 hex of method, path and body. */
    readonly fingerprint: string;
    readonly print: AnswerPrinter;
  };
}

/** A picture that is drawn in the background. */
export interface ImageWork {
  readonly row: ModelRow;
  readonly prompt: string;
  readonly callbackUrl?: string;
  /** Draws and is charged for it, which the trace tells. The caller it is given outlives the request. */
  readonly draw: (
    caller: Caller,
    trace: Trace,
  ) => Promise<{ readonly files: readonly StoredMedia[]; readonly answer: Json }>;
}

/** What is made of a finished video. */
export interface AskedChange {
  readonly change: VideoChange;
  /** The caller's own task of the video. */
  readonly source: TaskRecord;
  readonly prompt: string;
  /** How much longer an extension makes it. */
  readonly seconds?: number;
}

export interface NewlyCreated {
  readonly task: TaskRecord;
  /** Inputs the vendor could not take, by the caller's names. */
  readonly dropped: readonly string[];
  /** How many offers were asked. */
  readonly attempts: number;
  /** How it came to who took it, where the model has routes. */
  readonly route?: string;
  readonly replayed?: undefined;
}
/** A new task, or the stored answer of an earlier request with the same Idempotency-Key: send its bytes as they are. */
export type Created =
  | NewlyCreated
  | {
      readonly replayed: IdempotencyAnswer;
      readonly task?: undefined;
      readonly dropped?: undefined;
      readonly attempts?: undefined;
    };

export interface TaskListFilter {
  readonly limit?: number;
  readonly after?: string;
  readonly order?: 'newest' | 'oldest';
  readonly status?: TaskState;
  readonly model?: string;
}
export interface TaskPage {
  readonly tasks: readonly TaskRecord[];
  readonly hasMore: boolean;
}

/** A part of a file in bytes, both ends included. */
export interface FilePart {
  readonly first: number;
  readonly last: number;
}
/** The part of a file that a caller asks for. */
export interface AskedPart {
  /** As whoever keeps the file is asked for it: a Range header of one part. */
  readonly range: string;
  /** Which bytes that are of a file of this size; undefined when it lies outside. */
  of(size: number): FilePart | undefined;
}
export interface ContentOptions {
  /** Without it the whole file. */
  readonly part?: AskedPart;
  /** OpenAI's `variant`: `video`, `thumbnail` or `spritesheet`. */
  readonly variant?: string;
  /** Which of the task's videos, from 0; the first when absent. */
  readonly video?: number;
}
export interface Content {
  readonly mime: string;
  /** Bytes of the whole file, where known. */
  readonly size?: number;
  /** What `body` is of the file: absent for all of it, `outside` for nothing, because the asked part lies outside. */
  readonly part?: FilePart | 'outside';
  /** Whether parts can be asked for, where known. */
  readonly seekable?: boolean;
  readonly etag?: string;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface TaskChange {
  /** Give it back to miss nothing. */
  readonly eventId: number;
  readonly task: TaskRecord;
}

/** Video tasks and subjects as tasks that cannot be lost or paid twice (docs/architecture.md#tasks). */
export interface TaskEngine {
  /** Resolves only when the vendor's ticket is committed. */
  createVideo(caller: Caller, body: JsonObject, options: CreateOptions): Promise<Created>;
  /** A video out of a finished one of the caller's owner, by the same model; it never waits for room. Throws `invalid_request` where that model cannot. */
  changeVideo(caller: Caller, asked: AskedChange, options: Pick<CreateOptions, 'idempotency'>): Promise<Created>;
  createSubject(caller: Caller, body: JsonObject, options?: Pick<CreateOptions, 'idempotency'>): Promise<Created>;
  /** A picture that is drawn in the background; resolves when the task is written. It cannot be cancelled. */
  createImage(caller: Caller, work: ImageWork): Promise<TaskRecord>;
  /** A task of the caller's owner, or `task_not_exist`. Never calls the vendor. */
  get(caller: Caller, id: string): Promise<TaskRecord>;
  list(caller: Caller, filter: TaskListFilter): Promise<TaskPage>;
  /** Stops a job whose vendor can still stop it; `conflict` when it is too late. */
  cancel(caller: { readonly key: Tenant }, id: string): Promise<TaskRecord>;
  /** Hides an ended task from its owner; `conflict` while it is open. */
  remove(caller: Caller, id: string): Promise<void>;
  /** The task as soon as it has ended, or as it is after `timeoutMs` or when the caller has gone. */
  waitForEnd(caller: Caller, id: string, timeoutMs: number): Promise<TaskRecord>;
  /** The task now, and then at every change until its end. `Last-Event-ID` resumes it; a consumer that stops reading ends it. */
  follow(caller: Caller, id: string, afterEventId?: number): AsyncIterable<TaskChange>;
  /** The finished file as a stream, of a task of the caller's owner; `invalid_request` before the end. `caller` is absent for a link whose signature was verified: it dies with the task, and with the last usable key of its owner and mode. */
  openContent(
    caller: Caller | undefined,
    id: string,
    options: ContentOptions & { readonly signal: AbortSignal },
  ): Promise<Content>;
  /** A kept file by its own id, for a link whose signature was verified; `not_found` when unknown, expired, or no usable key of its owner and mode is left. */
  openFile(fileId: string, options: Pick<ContentOptions, 'part'> & { readonly signal: AbortSignal }): Promise<Content>;
  /** Where the result can be fetched, or another of its files: the vendor's link, or our own, which the first file alone has; empty before SUCCESS. */
  resultUrl(task: TaskRecord, index?: number): string;
  readonly webhooks: TaskWebhooks;
  /** A vendor tells that a task has news: true when it is asked now, false when the task has ended. Throws what is wrong with the webhook. */
  receiveVendorWebhook(id: string, webhook: VendorWebhook): Promise<boolean>;
  /** One sweep: everything due now is asked and settled. Returns how many tasks were asked about. */
  runDue(): Promise<number>;
  /** Earliest time at which something falls due. */
  nextDue(): Promise<number | undefined>;
  /** What this process has under way. */
  running(): { readonly polls: number; readonly webhooks: number };
  start(): void;
  /** Lets running polls and deliveries end (bounded), then resolves. */
  stop(): Promise<void>;
}

export interface TaskWebhooks {
  /** Delivers what is due now; returns how many were attempted. */
  runDue(): Promise<number>;
  /** Makes a delivery due again. */
  replay(id: string): Promise<WebhookDelivery | undefined>;
}
