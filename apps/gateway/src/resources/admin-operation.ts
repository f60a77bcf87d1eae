/** Admin operations: each answers a call of the admin API and a command that works on the database of this machine. */
import type { Request, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import {
  keyHint,
  type AccountHealth,
  type Catalogue,
  type ContentReader,
  type EntryFilter,
  type EntryKind,
  type InvariantMonitor,
  type MaintenanceJobs,
  type RequestIdentity,
  type Router,
  type Store,
  type TaskRecord,
} from '@model-gateway/core';
import type { BodyOf, Handler, Handlers, OperationId, ReplyOf } from '../http/operation.ts';
import { responseSignal } from '../http/exchange.ts';
import { tokenOf } from '../http/steps/authenticate.ts';
import type { AlertChannels } from './alerts/channels.ts';
import { AuditedStore, type Actor } from './audit/audited.ts';
import { present } from '../present.ts';
import type { ConfigurationParts } from './config-entries/service.ts';

const PAGE = 100;

/** What admin operations work with. */
export interface AdminParts {
  readonly store: Store;
  readonly catalogue: () => Catalogue;
  readonly accountHealth: () => Promise<readonly AccountHealth[]>;
  readonly router: Pick<Router, 'plan' | 'view' | 'budgetUse'>;
  readonly now: () => number;
  /** Makes every process of this machine forget what it remembers of keys. */
  readonly keysChanged: () => Promise<void>;
  /** Writes what chat has journalled, so that a report has it. */
  readonly flush: () => Promise<void>;
  /** Stops a job whose vendor can still stop it; `conflict` when it is too late. */
  readonly cancelTask: (task: TaskRecord) => Promise<TaskRecord>;
  readonly invariants: Pick<InvariantMonitor, 'look' | 'report'>;
  readonly jobs: Pick<MaintenanceJobs, 'add' | 'begin' | 'cancel' | 'interruptSilent'>;
  /** Writes what waits for the log of requests; nothing where there is none. */
  readonly flushRequests: () => Promise<void>;
  readonly configuration: ConfigurationParts;
  /** Where alerts go; loaded when somebody tests them. */
  readonly alertChannels: () => Promise<Pick<AlertChannels, 'test'>>;
  /** Reads prompts and answers that are kept. */
  readonly contents: ContentReader;
}

/** Path and query of a call, as texts of an address or as values of a command. */
export interface Asked {
  readonly params: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** A call of an admin operation, by whoever makes it. */
export interface AdminCall<Id extends OperationId> extends Asked {
  readonly body: BodyOf<Id>;
  readonly idempotencyKey: string | undefined;
  readonly actor: Actor;
  /** Aborted when who asked has gone; absent of commands. */
  readonly signal?: AbortSignal;
}

/** The JSON that an operation answers. */
export type AnswerOf<Id extends OperationId> = Extract<ReplyOf<Id>, { readonly status: 200 }>['body'];

/** Operations of the document, apart from HTTP. */
export type AdminOperations = {
  readonly [Id in OperationId]?: (call: AdminCall<Id>) => Promise<AnswerOf<Id>> | AnswerOf<Id>;
};

/** Whichever operation it is: its body has been validated. */
type Perform = (call: AdminCall<never>) => unknown;

/** The operations as handlers of HTTP requests. */
export function adminHandlers(operations: AdminOperations): Handlers {
  return Object.fromEntries(
    (Object.entries(operations) as [string, Perform][]).map(([id, perform]): [string, Handler] => [
      id,
      async (request, response) => {
        const key = request.headers['idempotency-key'];
        const answer = await perform({
          params: request.params,
          query: request.query,
          body: request.body as never,
          idempotencyKey: typeof key === 'string' && key !== '' ? key : undefined,
          actor: actorOf(request, response),
          signal: responseSignal(response),
        });
        response.status(200).json(answer);
      },
    ]),
  );
}

/** Whoever sent the request. */
export function actorOf(request: Request, response: Response): Actor {
  const { requestId, session } = response.locals.exchange;
  if (session === undefined) return { actor: `admin key ${keyHint(tokenOf(request) ?? '')}`, requestId };
  const { id, person } = session.record;
  return { actor: person === undefined ? `admin session ${id}` : `admin session ${id} of ${person.name}`, requestId };
}

/** The database in the name of whoever makes the call. */
export function auditedBy(
  parts: Pick<AdminParts, 'store' | 'now'>,
  { actor }: { readonly actor: Actor },
): AuditedStore {
  return new AuditedStore(parts, actor);
}

/** A number in the path; the validator has checked that it is one. */
export function idIn(asked: Asked, name: string): number {
  return wholeNumber(String(asked.params[name] ?? ''), name);
}

/** A whole number in the query. */
export function numberIn(asked: Asked, name: string): number | undefined {
  const text = textIn(asked, name);
  return text === undefined ? undefined : wholeNumber(text, name);
}

/** A moment in the query. */
export function momentIn(asked: Asked, name: string): number | undefined {
  const text = textIn(asked, name);
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw new GatewayError('invalid_request', `${name} must be a time such as 2026-11-01T00:00:00Z`, { param: name });
}

/** Whom the requests of a query are for; undefined where it says nothing of it. */
export function identityIn(asked: Asked): RequestIdentity | undefined {
  const identity = present({
    user: textIn(asked, 'user'),
    session: textIn(asked, 'session'),
    run: textIn(asked, 'run'),
  });
  return Object.keys(identity).length === 0 ? undefined : identity;
}

/** The number that a page begins after. */
export function idOfText(text: string): number {
  return wholeNumber(text, 'after');
}

/** Beyond these numbers databases have no room. */
function wholeNumber(text: string, param: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new GatewayError('invalid_request', `${param} must be a whole number`, { param });
}

/** A text in the query; the validator may have read a number, a truth or a list out of it. */
export function textIn(asked: Asked, name: string): string | undefined {
  const value: unknown = asked.query[name];
  if (Array.isArray(value)) return value.map(String).join(',');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Which entries of the ledger the query asks for. */
export function entriesIn(
  asked: Asked,
): Pick<EntryFilter, 'keyId' | 'requestId' | 'taskId' | 'kind' | 'model' | 'from' | 'to'> {
  return present({
    keyId: numberIn(asked, 'key_id'),
    requestId: textIn(asked, 'request_id'),
    taskId: textIn(asked, 'task_id'),
    // The document says which there are.
    kind: textIn(asked, 'kind') as EntryKind | undefined,
    model: textIn(asked, 'model'),
    from: momentIn(asked, 'from'),
    to: momentIn(asked, 'to'),
  });
}

/** Which webhooks the query asks for. */
export function deliveriesIn(asked: Asked): { readonly taskId?: string; readonly pending?: boolean } {
  const pending = textIn(asked, 'pending');
  return present({ taskId: textIn(asked, 'task_id'), pending: pending === undefined ? undefined : pending === 'true' });
}

export interface Page<Id extends string | number> {
  /** One more than the page has: whether there is a next one. */
  readonly filter: { readonly limit: number; readonly after?: Id };
  readonly view: <Row extends { readonly id: Id }, View>(
    rows: readonly Row[],
    viewOf: (row: Row) => View,
  ) => { object: 'list'; data: View[]; has_more: boolean; next_after: Id | null };
}

/** The page that `limit` and `after` ask for. */
export function pageOf<Id extends string | number>(asked: Asked, idOf: (text: string) => Id): Page<Id> {
  const limit = numberIn(asked, 'limit') ?? PAGE;
  const after = textIn(asked, 'after');
  return {
    filter: present({ limit: limit + 1, after: after === undefined ? undefined : idOf(after) }),
    view: (rows, viewOf) => {
      const shown = rows.slice(0, limit);
      const hasMore = rows.length > limit;
      return {
        object: 'list',
        data: shown.map(viewOf),
        has_more: hasMore,
        next_after: hasMore ? (shown.at(-1)?.id ?? null) : null,
      };
    },
  };
}
