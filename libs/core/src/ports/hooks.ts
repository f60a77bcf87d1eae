/** A question to an address that the operator's configuration names. */
export interface HookRequest {
  readonly url: string;
  /** Secrets may be among them: they stand in no log and no error. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the question to the last byte, waiting for a place included. */
  readonly timeoutMs: number;
  /** Bytes of an answer. */
  readonly largest: number;
  /** Questions to this address at once. */
  readonly atOnce: number;
}
export type HookReply =
  | { readonly ok: true; readonly body: string }
  /** Why there is no answer, in words without addresses and secrets. */
  | { readonly ok: false; readonly fault: string };

/** The way to the operator's own addresses. */
export interface Hooks {
  /** Asks once, follows no redirect. Never rejects. */
  ask(request: HookRequest): Promise<HookReply>;
}
