/** Changes that operators make, each in one transaction with its line of the audit log. */
import type { AuditEntry, Store } from '@model-gateway/core';

/** Who acts: the hint of the admin key that came with a request, or `command`. */
export interface Actor {
  readonly actor: string;
  readonly requestId?: string;
}

export type Tables = Parameters<Parameters<Store['together']>[0]>[0];
export type AuditedChange = Pick<AuditEntry, 'action' | 'subject'> & {
  readonly before?: object;
  readonly after?: object;
};
type RecordChange = (change: AuditedChange) => Promise<void>;

/** The database in the name of one actor. */
export class AuditedStore {
  readonly store: Store;
  readonly now: () => number;
  readonly #actor: Actor;

  constructor({ store, now }: { readonly store: Store; readonly now: () => number }, actor: Actor) {
    this.store = store;
    this.now = now;
    this.#actor = actor;
  }

  /** Makes a change and the lines that it records in one transaction; a change that is refused leaves no line. */
  change<T>(make: (tables: Tables, record: RecordChange) => Promise<T>): Promise<T> {
    return this.store.together((tables) => make(tables, (change) => this.#add(tables, change)));
  }

  /** Records what was done elsewhere. */
  record(change: AuditedChange): Promise<void> {
    return this.#add(this.store, change);
  }

  #add({ audit }: Pick<Tables, 'audit'>, { action, subject, before, after }: AuditedChange): Promise<void> {
    return audit.add({
      ...this.#actor,
      at: this.now(),
      action,
      subject,
      ...(before !== undefined && { before: { ...before } }),
      ...(after !== undefined && { after: { ...after } }),
    });
  }
}
