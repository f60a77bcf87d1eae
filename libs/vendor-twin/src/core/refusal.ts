/** A vendor's refusal as it goes over the wire: thrown anywhere in a handler, printed by the server. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** What a vendor says for an HTTP status: at least for a bad request and for a fault of its own, which stand in for the rest. */
export type StatusWords<Words> = Readonly<Record<number, Words>> & { readonly 400: Words; readonly 500: Words };

export function wordsOf<Words>(table: StatusWords<Words>, status: number): Words {
  return table[status] ?? (status < 500 ? table[400] : table[500]);
}

export interface RefusalHints {
  readonly message?: string;
  /** Already in a header where the vendor has one; for those who say it elsewhere. */
  readonly retryAfterSeconds?: number;
}

/** A vendor's own words for an HTTP status. */
export type Refuse = (status: number, hints?: RefusalHints) => Refusal;
