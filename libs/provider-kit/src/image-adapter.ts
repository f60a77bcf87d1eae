/** What a vendor of images must answer. */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { Fault, Generated, MediaFile, MediaRequest, Upstream } from './adapter.ts';

export interface ImageCreate {
  /** The shape the caller used; `edit` is the multipart one, `predict` Google's. */
  readonly shape: 'prompt' | 'messages' | 'edit' | 'predict';
  /** The caller's JSON as it came: sent nearly as it is where the vendor's wire has this very form. Absent of a form. */
  readonly body?: JsonObject;
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** Source or reference images in order: links (https or data:) or files. */
  readonly images: readonly ImageInput[];
  readonly mask?: ImageInput;
  /** Where the body names pictures that OpenAI keeps (`images[0].file_id`): only a vendor of that wire is sent them, in `body`. */
  readonly keptFiles?: readonly string[];
  /** `2k`, `1024x1024`, `1664*928`, `auto`: as the caller wrote it. */
  readonly size?: string;
  readonly count?: number;
  readonly seed?: number;
  readonly watermark?: boolean;
  readonly promptExtend?: boolean;
  readonly quality?: string;
  readonly background?: string;
  readonly outputFormat?: string;
  readonly outputCompression?: number;
  readonly user?: string;
  /** What the caller wants back; the gateway converts where the vendor cannot. */
  readonly responseFormat?: 'url' | 'b64_json';
  /** Partial images wanted on a stream (0..3). */
  readonly partialImages?: number;
  /** Every other field of the caller's body by its own name: a vendor's new parameter works on day one. */
  readonly extra: JsonObject;
}
export type ImageInput =
  | { readonly url: string; readonly param: string }
  | {
      readonly filename: string;
      readonly mime: string;
      readonly size: number;
      readonly open: () => AsyncIterable<Uint8Array>;
      readonly param: string;
    };
export interface ImageReply {
  readonly files: readonly (MediaFile | { readonly fault: Fault })[];
  /** Unix seconds, where the vendor says. */
  readonly created?: number;
  /** The vendor's request id, where it gives one. */
  readonly requestId?: string;
  readonly revisedPrompt?: string;
  /** Usage fields as the vendor printed them, for replies that show them (`tool_usage`, `image_count`). */
  readonly vendorUsage?: JsonObject;
  /** `background`, `quality`, `output_format`, `size` as answered. */
  readonly echo?: JsonObject;
  /** What a vendor of OpenAI's or Seedream's wire says beside `data`, and of each of its items beside the picture. */
  readonly answer?: { readonly body: JsonObject; readonly items: readonly JsonObject[] };
}
export type ImageStreamEvent =
  /** Always the first: the vendor has taken the request. Until then another offer may be tried. */
  | { readonly type: 'started'; readonly dropped: readonly string[] }
  | { readonly type: 'partial'; readonly index: number; readonly file: MediaFile; readonly echo?: JsonObject }
  | { readonly type: 'image'; readonly index: number; readonly file: MediaFile; readonly echo?: JsonObject }
  | { readonly type: 'failed'; readonly index: number; readonly fault: Fault }
  | { readonly type: 'completed'; readonly usage: Usage; readonly vendorUsage?: JsonObject };
export interface ImageAdapter {
  /** What it will fetch for this input: fetched before the account is asked, so that a slow address holds up nobody's call. */
  media?(input: ImageCreate, target: Pick<Upstream, 'model' | 'quirks'>): readonly MediaRequest[];
  generate(input: ImageCreate, upstream: Upstream): Promise<Generated<ImageReply>>;
  /** Absent where the vendor has no stream. */
  stream?(input: ImageCreate, upstream: Upstream): AsyncIterable<ImageStreamEvent>;
}
