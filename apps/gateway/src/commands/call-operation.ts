/** How commands call operations of the document, wherever those run. */
import type { Input, OperationId, QueryOf, ReplyOf } from '@model-gateway/client';

interface OperationInput<Id extends OperationId> {
  readonly path?: Input<Id>['path'];
  readonly query?: { readonly [Name in keyof QueryOf<Id>]?: QueryOf<Id>[Name] | undefined };
  readonly body?: Exclude<Input<Id>['body'], FormData | Promise<unknown>>;
}

/** Calls an operation. Rejects with a GatewayError, or with the client's errors for a gateway elsewhere. */
export type CallOperation = <Id extends OperationId>(
  id: Id,
  input?: OperationInput<Id>,
  options?: { readonly idempotencyKey?: string | undefined },
) => Promise<ReplyOf<Id>>;

/** Files of any size, piece by piece. */
export interface Downloads {
  /** The file of a maintenance job. */
  jobFile(id: number): Promise<AsyncIterable<Uint8Array>>;
  /** The statement of an owner as CSV. */
  statement(ownerId: number, query: QueryOf<'getOwnerStatement'>): Promise<AsyncIterable<Uint8Array | string>>;
}
