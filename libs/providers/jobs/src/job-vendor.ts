/** What a vendor of jobs says of itself: everything that `job-adapter.ts` has to know to make, watch and collect a job there. */
import type { DeclaredFields, ErrorCode, Json, JsonObject } from '@model-gateway/contracts';
import {
  numberAt,
  textAt,
  type ImageCreate,
  type ModelListAdapter,
  type SignedHeaders,
  type Upstream,
  type UpstreamRequest,
  type VideoCreate,
} from '@model-gateway/provider-kit';
import type { WebhookSigning } from './webhook-signing.ts';

/** Where a value stands in a reply. */
export type Place = readonly string[];

export type JobKind = 'video' | 'image';

/** `missing`: the vendor knows no such job. */
export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'missing';

/** The vendor's words for what went wrong. */
export interface JobTrouble {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  /** The field that is wrong. */
  readonly param?: string | undefined;
}

/** What of a caller's input the vendor is sent. */
export interface JobInput {
  /** Where another model than the offer's is asked for this input. */
  readonly model?: string;
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/** A job to be made. */
export interface JobOrder {
  readonly kind: JobKind;
  readonly model: string;
  readonly body: JsonObject;
  /** Where the vendor may tell that the job has news. */
  readonly webhookUrl?: string | undefined;
}

/** The request that makes a job. */
export interface JobRequest {
  readonly path: string;
  readonly json: JsonObject;
}

/** A job that was made: stored as it is, and asked after perhaps days later. */
export interface JobTicket extends JsonObject {
  readonly id: string;
  /** What the model was asked as. */
  readonly model: string;
}

export interface JobVendor {
  readonly authorize: (key: string) => SignedHeaders;
  /** Whether a host that its answers name is the vendor's own too, and may see the credentials. */
  readonly ownsHost?: (host: string, baseUrl: string) => boolean;

  readonly submit: (order: JobOrder) => JobRequest;
  /** Absent: the vendor cannot be given an address at which it tells that a job has news, or its jobs could not be polled then. */
  readonly webhooks?: {
    /** The request with the address in it. */
    readonly withAddress: (request: JobRequest, url: string) => JobRequest;
    /** Absent: the vendor signs nothing, and the address alone is the secret. */
    readonly signing?: WebhookSigning;
  };
  /** Gives a frame to the vendor before a video is made of it: what the input then has in place of its address. */
  readonly upload?: (url: string, param: string, upstream: Upstream) => Promise<string>;
  /** Where its answer names the job, and what else of it is kept in the ticket, by the name there. */
  readonly idAt: Place;
  readonly keep?: Readonly<Record<string, Place>>;

  /** The question how a job is. */
  readonly status: (ticket: JobTicket, baseUrl: string) => Pick<UpstreamRequest, 'path' | 'url'>;
  /** A text, or a number as one. */
  readonly wordAt: readonly Place[];
  readonly states: Readonly<Record<string, JobState>>;
  /** 0 to 1, where the vendor says. */
  readonly progressAt?: Place;
  /** Why a job failed, from the answer about it; what it says in `states` of a word that means success wins over the word. */
  readonly failure: (answer: Json) => JobTrouble | undefined;
  /** Where the result is a request of its own. */
  readonly result?: (ticket: JobTicket, baseUrl: string) => Pick<UpstreamRequest, 'path'>;
  /** Where files may be: a link, an object with `url`, or a list of these. */
  readonly filesAt: readonly Place[];
  /** What a job cost in the vendor's own units: in the answer about it, in the headers of its result, or in the ticket. */
  readonly cost?: { readonly at?: Place; readonly header?: string; readonly kept?: string };
  readonly linkSeconds: number;
  /** Whether asking again gives new links. */
  readonly renewsLinks?: boolean;
  /** Takes a job out of the queue; absent where the vendor has none, or does not say what is billed then. */
  readonly cancel?: (ticket: JobTicket, baseUrl: string) => Pick<UpstreamRequest, 'method' | 'path'>;

  /** What a refusal is, of a vendor that says so in the body whatever the HTTP status is; undefined: it is none, or the status says it. */
  readonly refusalCode?: (body: Json | undefined) => ErrorCode | undefined;
  /** The words of a refusal. */
  readonly refusal: (body: Json | undefined) => JobTrouble;
  /** What code or message means that content was refused. */
  readonly refusesContent: RegExp;

  readonly videos?: (input: VideoCreate, upstream: Pick<Upstream, 'model' | 'quirks'>) => JobInput;
  readonly images?: (
    input: ImageCreate,
    pictures: readonly string[],
    upstream: Pick<Upstream, 'model' | 'quirks'>,
  ) => JobInput;
  /** How an offer's model names the number of pictures; undefined: one picture a job. */
  readonly countField?: (upstream: Pick<Upstream, 'quirks'>) => string | undefined;
  readonly quirks?: { readonly videos?: DeclaredFields; readonly images?: DeclaredFields };
  readonly modelList?: ModelListAdapter;
}

/** The path below the account's address of an address that the vendor gave: it is asked where the account is, whatever host it names. */
export function belowBase(address: string | undefined, baseUrl: string): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { pathname, search } = new URL(address);
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  return (pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname) + search;
}

/** A file that a job made. */
export interface JobFile {
  readonly url: string;
  readonly mime?: string;
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
}

/** A link, an object with one, or a list of these. */
export function filesIn(value: Json | undefined): JobFile[] {
  if (Array.isArray(value)) return value.flatMap((each) => filesIn(each));
  if (typeof value === 'string') return /^(https?|data):/i.test(value) ? [{ url: value }] : [];
  const url = textAt(value, 'url');
  if (url === undefined) return [];
  const mime = textAt(value, 'content_type');
  const numbers = {
    width: numberAt(value, 'width'),
    height: numberAt(value, 'height'),
    seconds: numberAt(value, 'duration'),
  };
  const told = Object.entries(numbers).filter(([, number]) => number !== undefined && number > 0);
  return [{ url, ...(mime !== undefined && { mime }), ...(Object.fromEntries(told) as Omit<JobFile, 'url'>) }];
}
