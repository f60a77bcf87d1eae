/** What the files of this folder say to each other; it imports none of them. */
import type { DialectName, GatewayError } from '@model-gateway/contracts';
import type { CacheWord } from '../../cache/kept-answers.ts';
import type { Spending } from '../../money/spending.ts';
import type { Trace } from '../../paid/trace.ts';
import type { KeptFiles } from '../../files/kept-files.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';
import type { ChatBody } from './pricing.ts';
import type { RequestControl } from '../../routing/request-control.ts';
import type { Sink, StreamEnd } from './chat-stream.ts';
import type { UploadedFileRecord } from '../../ports.ts';
import type { VendorFiles } from '../../files/vendor-files.ts';
import type { VendorLane } from './vendor-sockets.ts';

/** A large uploaded file that is in a request's body. */
export interface FileInBody {
  readonly file: UploadedFileRecord;
  /** As it stands in the body. */
  readonly base64: string;
}

/** A limit that is used up is told as the last message of the model. */
export interface OnLimit {
  /** By which the request is refused already; absent: by none so far. */
  readonly refusal?: GatewayError;
}

export interface ChatCall {
  readonly caller: Caller;
  readonly dialect: DialectName;
  readonly body: ChatBody;
  readonly model: string;
  readonly stream: boolean;
  /** The caller's dialect headers that may travel, lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** For the ledger: `/v1/chat/completions`. */
  readonly endpoint: string;
  /** What the caller says of the way that the request may take; absent: nothing. */
  readonly control?: RequestControl;
  /** Absent: an answer. `compact`: its vendor is asked for the conversation made short, in the caller's dialect. */
  readonly purpose?: 'compact';
  /** What the caller says of answers that are kept; absent: nothing. */
  readonly cache?: CacheWord;
  /** Wants to be told in a message that a limit is used up; absent: by an error. */
  readonly onLimit?: OnLimit;
  /** The sockets that a vendor may be asked over; absent: over HTTP. */
  readonly vendorLane?: VendorLane;
  /** Large uploaded files that are in the body; absent: there are none. */
  readonly files?: readonly FileInBody[];
}

export type ChatTrace = Trace;

export interface ChatAnswer {
  readonly trace: ChatTrace;
  readonly reply:
    | { readonly type: 'whole'; readonly body: Uint8Array | string }
    | { readonly type: 'stream'; pipe(sink: Sink): Promise<StreamEnd> };
}

export interface Chat {
  /** Throws GatewayError; nothing is charged then. */
  answer(call: ChatCall, trace?: ChatTrace): Promise<ChatAnswer>;
}

export type ChatParts = Parts & {
  readonly openOffer: OpenOffer;
  readonly spending: Pick<Spending, 'reserve'>;
  readonly keptFiles: KeptFiles;
  /** Absent: files always go in requests. */
  readonly vendorFiles?: VendorFiles;
};
