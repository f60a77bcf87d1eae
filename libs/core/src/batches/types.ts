/** What the files of this folder share; it imports none of them. */
import type { ErrorCode, GatewayError, JsonObject } from '@model-gateway/contracts';
import type { LineDelivery } from '../paid/delivery.ts';
import type { CallerLabels, OpenAccount, OwnSpending, Parts } from '../parts.ts';
import type { BatchRecord, EndedLine, KeyRecord, LineFault, NewLine, Tenant } from '../ports.ts';

/** A line as the app is asked for it. */
export interface LineRequest {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whose rights count. */
  readonly key: KeyRecord;
  /** Of the request that made the batch. */
  readonly labels: CallerLabels;
  readonly spending: OwnSpending;
  readonly delivery: LineDelivery;
  readonly signal: AbortSignal;
}

export interface LineAnswer {
  readonly status: number;
  readonly requestId: string;
  /** JSON. */
  readonly body: Uint8Array;
  readonly retryAfterSeconds?: number;
  /** The gateway's own word for what went wrong. */
  readonly errorCode?: ErrorCode;
}

/** Sends a line through the app, as a request of its key's. Rejects when there is no answer. */
export type AskLine = (line: LineRequest) => Promise<LineAnswer>;

/** Where input files lie, and results are put. */
export interface BatchFiles {
  /** Throws `not_found`. */
  read(tenant: Tenant, fileId: string): Promise<AsyncIterable<Uint8Array>>;
  /** Writes a result file and gives its id. An attempt that a crash interrupts may leave a file that no batch names; it expires like the others. */
  write(batch: BatchRecord, name: 'output' | 'errors', bytes: AsyncIterable<Uint8Array>): Promise<string>;
  /** Removes a file that no batch names. */
  remove(batch: BatchRecord, fileId: string): Promise<void>;
}

/** What depends on the form that a batch was made in. */
export interface BatchForm {
  /** Lines of an input file, or what is wrong with them; absent where requests come inline. */
  readonly readLines?: (batch: BatchRecord, bytes: AsyncIterable<Uint8Array>) => AsyncIterable<NewLine | LineFault>;
  /** Headers that every line is sent with. */
  readonly headersOf: (batch: BatchRecord) => Readonly<Record<string, string>>;
  /** One line of a result file, without the end of the line. */
  readonly resultLine: (batch: BatchRecord, line: EndedLine) => string;
  /** The body of an error that no request had. */
  readonly errorBody: (batch: BatchRecord, error: GatewayError) => JsonObject;
}

export interface BatchSettings {
  /** Lines that one process runs at once. */
  readonly concurrency: number;
  /** Since a batch ended, milliseconds. */
  readonly keepMs: number;
  /** Lines of one owner and mode that have not ended. */
  readonly mostWaiting: number;
  /** Bytes of one owner and mode. */
  readonly mostBytes: number;
  /** When lines go to vendors in batches of their own. */
  readonly vendor: 'when_cheaper' | 'never';
}

export type BatchParts = Pick<
  Parts,
  'store' | 'now' | 'log' | 'randomId' | 'catalogue' | 'router' | 'adapters' | 'step'
> & {
  readonly openAccount: OpenAccount;
  readonly settings: BatchSettings;
  /** Unguessable name of this process, for what it works on. */
  readonly process: string;
  readonly ask: AskLine;
  readonly forms: Readonly<Record<BatchRecord['format'], BatchForm>>;
  readonly files?: BatchFiles;
  /** Tests: time of their own. */
  readonly pause?: (ms: number) => Promise<void>;
};
