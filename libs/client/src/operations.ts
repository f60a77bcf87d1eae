/** What the document says of an operation by its operationId. */
import type { components, operations, paths } from './contracts.ts';
import { ROUTES } from './generated/routes.ts';

/** Everything of the document. */
export type OperationId = keyof operations;
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Schemas = components['schemas'];

type RouteOf<Id extends OperationId> = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path][M] extends operations[Id]
      ? operations[Id] extends paths[Path][M]
        ? readonly [M, Path]
        : never
      : never;
  }[Method];
}[keyof paths];

/** Method and path of every operation; that they are those of the types is checked here. */
export const OPERATIONS = ROUTES satisfies { readonly [Id in OperationId]: RouteOf<Id> };

type Parameters<Id extends OperationId, Place extends 'path' | 'query' | 'header'> = NonNullable<
  operations[Id]['parameters'][Place]
>;
/** What stands in the address of an operation. */
export type PathOf<Id extends OperationId> = Parameters<Id, 'path'>;
/** What follows the question mark. */
export type QueryOf<Id extends OperationId> = Parameters<Id, 'query'>;
/** The headers an operation reads. */
export type HeadersOf<Id extends OperationId> = Parameters<Id, 'header'>;

/** The JSON body an operation takes. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } };
}
  ? Body
  : undefined;

type OkOf<Id extends OperationId> = operations[Id]['responses'] extends { 200: { content: infer Content } }
  ? Content
  : never;
/** The JSON answer of an operation. */
export type ReplyOf<Id extends OperationId> =
  OkOf<Id> extends { 'application/json': infer Body } ? Body : OkOf<Id>[keyof OkOf<Id>];
/** One event of an operation's stream. */
export type EventOf<Id extends OperationId> = OkOf<Id> extends { 'text/event-stream': infer Event } ? Event : never;
