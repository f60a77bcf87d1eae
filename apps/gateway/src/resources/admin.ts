/** What the admin routes share: their parts, ids, pages. */
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
  type Router,
  type Store,
  type TaskRecord,
} from '@model-gateway/core';
import { createAdminServices, type Actor, type AdminServices } from './audit/audited.ts';
import type { ConfigurationParts } from './config-entries/service.ts';
import type { OpenSession } from './console/sessions.ts';
import { tokenOf } from '../http/pipeline/authenticate.ts';
import { contextOf } from '../http/context.ts';

const PAGE = 100;

export interface AdminParts {
  readonly store: Store;
  readonly catalogue: () => Catalogue;
  readonly accountHealth: () => Promise<readonly AccountHealth[]>;
  readonly router: Pick<Router, 'plan' | 'view' | 'budgetUse'>;
  readonly now: () => number;
  /** Every process of this machine forgets what it remembers of keys. */
  readonly keysChanged: () => Promise<void>;
  /** Writes what chat has journalled, so that a report has it. */
  readonly flush: () => Promise<void>;
  /** Stops a job whose vendor can still stop it; `conflict` when it is too late. */
  readonly cancelTask: (task: TaskRecord) => Promise<TaskRecord>;
  readonly invariants: Pick<InvariantMonitor, 'look' | 'report'>;
  /** Writes what waits for the log of requests; nothing where there is none. */
  readonly flushRequests: () => Promise<void>;
  readonly configuration: ConfigurationParts;
  /** Reads prompts and answers that are kept. */
  readonly contents: ContentReader;
}

/** The services in the name of whoever sent the request. */
export function servicesFor(parts: AdminParts, request: Request, response: Response): AdminServices {
  return createAdminServices(parts, actorOf(request, response));
}

/** Whoever sent the request. */
export function actorOf(request: Request, response: Response): Actor {
  const { requestId, session } = contextOf(response);
  const actor = session === undefined ? `admin key ${keyHint(tokenOf(request) ?? '')}` : sessionActor(session);
  return { actor, requestId };
}

function sessionActor({ record: { id, person } }: OpenSession): string {
  return person === undefined ? `admin session ${id}` : `admin session ${id} of ${person.name}`;
}

/** A number in the path; the validator has checked that it is one. */
export function idIn(request: Request, name: string): number {
  return wholeNumber(request.params[name] ?? '', name);
}

/** A whole number in the query. */
export function numberIn(request: Request, name: string): number | undefined {
  const text = textIn(request, name);
  return text === undefined ? undefined : wholeNumber(text, name);
}

/** A moment in the query. */
export function momentIn(request: Request, name: string): number | undefined {
  const text = textIn(request, name);
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw new GatewayError('invalid_request', `${name} must be a time such as 2026-11-01T00:00:00Z`, { param: name });
}

/** The number that a page begins after. */
export function idOfText(text: string): number {
  return wholeNumber(text, 'after');
}

/** Beyond these numbers databases have no room. */
function wholeNumber(text: string | readonly string[], param: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new GatewayError('invalid_request', `${param} must be a whole number`, { param });
}

/** A text in the query; the validator may have read a number, a truth or a list out of it. */
export function textIn(request: Request, name: string): string | undefined {
  const value: unknown = request.query[name];
  if (Array.isArray(value)) return value.map(String).join(',');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Which entries of the ledger the query asks for. */
export function entriesIn(request: Request): Pick<EntryFilter, 'keyId' | 'requestId' | 'taskId' | 'kind'> {
  const keyId = numberIn(request, 'key_id');
  const requestId = textIn(request, 'request_id');
  const taskId = textIn(request, 'task_id');
  // The document says which there are.
  const kind = textIn(request, 'kind') as EntryKind | undefined;
  return {
    ...(keyId !== undefined && { keyId }),
    ...(requestId !== undefined && { requestId }),
    ...(taskId !== undefined && { taskId }),
    ...(kind !== undefined && { kind }),
  };
}

/** Which webhooks the query asks for. */
export function deliveriesIn(request: Request): { readonly taskId?: string; readonly pending?: boolean } {
  const taskId = textIn(request, 'task_id');
  const pending = textIn(request, 'pending');
  return {
    ...(taskId !== undefined && { taskId }),
    ...(pending !== undefined && { pending: pending === 'true' }),
  };
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
export function pageOf<Id extends string | number>(request: Request, idOf: (text: string) => Id): Page<Id> {
  const limit = numberIn(request, 'limit') ?? PAGE;
  const after = textIn(request, 'after');
  return {
    filter: { limit: limit + 1, ...(after !== undefined && { after: idOf(after) }) },
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
