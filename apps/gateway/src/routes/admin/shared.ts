/** What the admin routes share: their parts, ids, pages. */
import type { Request, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { keyHint, type Catalogue, type Router, type Store } from '@model-gateway/core';
import { createAdminServices, type AdminServices } from '../../admin/audited.ts';
import { tokenOf } from '../../http/pipeline/authenticate.ts';
import { contextOf } from '../../http/context.ts';

const PAGE = 100;

export interface AdminParts {
  readonly store: Store;
  readonly catalogue: () => Catalogue;
  readonly router: Pick<Router, 'health'>;
  readonly now: () => number;
  /** Forgets what this process remembers of keys. */
  readonly keysChanged: () => void;
  /** Writes what chat has journalled, so that a report has it. */
  readonly flush: () => Promise<void>;
}

/** The services in the name of whoever sent the request. */
export function servicesFor(parts: AdminParts, request: Request, response: Response): AdminServices {
  const { requestId } = contextOf(response);
  return createAdminServices(parts, { actor: `admin key ${keyHint(tokenOf(request) ?? '')}`, requestId });
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
