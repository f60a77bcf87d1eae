import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from './faults.ts';

/** One request as a vendor received it. */
export interface TwinRequest {
  readonly vendor: string;
  readonly operation: Operation;
  readonly method: string;
  /** Below the vendor's mount, with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as text; at most 256 KB of it. */
  readonly body: string;
  /** The body as JSON, undefined when it is none (or was too large to keep whole). */
  readonly json: unknown;
  /** Milliseconds, by the twin's clock. */
  readonly at: number;
  /** The status answered; undefined while the answer is still coming, or when there was none. */
  readonly status: number | undefined;
}

/** The last requests received, oldest first: for assertions. */
export interface RequestLog<Vendor extends string = string> {
  list(filter?: { readonly vendor?: Vendor; readonly operation?: Operation }): readonly TwinRequest[];
  last(vendor?: Vendor, operation?: Operation): TwinRequest | undefined;
  clear(): void;
}

const KEPT = 1000;
const KEPT_BYTES = 256 * 1024;
const KEPT_BYTES_IN_ALL = 32 * 1024 * 1024;

class Received implements TwinRequest {
  readonly vendor: string;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly at: number;
  readonly bytes: Buffer;
  readonly #respondedWith: () => number | undefined;

  constructor(request: Omit<TwinRequest, 'body' | 'json' | 'status'>, bytes: Buffer, status: () => number | undefined) {
    this.vendor = request.vendor;
    this.operation = request.operation;
    this.method = request.method;
    this.path = request.path;
    this.headers = request.headers;
    this.at = request.at;
    this.bytes = bytes;
    this.#respondedWith = status;
  }

  get body(): string {
    return this.bytes.toString('utf8');
  }

  get json(): unknown {
    try {
      return JSON.parse(this.body) as unknown;
    } catch {
      return undefined;
    }
  }

  get status(): number | undefined {
    return this.#respondedWith();
  }
}

export class RequestRing implements RequestLog {
  #received: Received[] = [];
  #bytes = 0;

  add(request: Omit<TwinRequest, 'body' | 'json' | 'status'>, body: Buffer, status: () => number | undefined): void {
    const received = new Received(request, Buffer.from(body.subarray(0, KEPT_BYTES)), status);
    this.#received.push(received);
    this.#bytes += received.bytes.length;
    while (this.#received.length > KEPT || this.#bytes > KEPT_BYTES_IN_ALL) {
      this.#bytes -= this.#received.shift()?.bytes.length ?? 0;
    }
  }

  list(filter: { readonly vendor?: string; readonly operation?: Operation } = {}): readonly TwinRequest[] {
    return this.#received.filter(
      (request) =>
        (filter.vendor === undefined || request.vendor === filter.vendor) &&
        (filter.operation === undefined || request.operation === filter.operation),
    );
  }

  last(vendor?: string, operation?: Operation): TwinRequest | undefined {
    return this.#received.findLast(
      (request) =>
        (vendor === undefined || request.vendor === vendor) &&
        (operation === undefined || request.operation === operation),
    );
  }

  clear(): void {
    this.#received = [];
    this.#bytes = 0;
  }
}
