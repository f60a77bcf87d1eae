/** What reading the log of requests takes from a request: filters, places, the bill beside a row. */
import type { Request } from 'express';
import type { components } from '@model-gateway/contracts';
import { readOverview, type Overview, type RequestFilter, type Store, type Tenant } from '@model-gateway/core';
import { placeOfRequest } from './detail.ts';
import { requestView, type AccountNames } from './view.ts';
import { momentIn, numberIn, textIn } from '../admin.ts';

const PAGE = 100;

/** What of the requests is asked for, beside whose they are. */
export function filterIn(request: Request): RequestFilter {
  const keyId = numberIn(request, 'key_id');
  const [model, kind, error, tag] = ['model', 'kind', 'error', 'tag'].map((name) => textIn(request, name));
  const status = textIn(request, 'status');
  const [from, to] = [momentIn(request, 'from'), momentIn(request, 'to')];
  const after = textIn(request, 'after');
  return {
    limit: numberIn(request, 'limit') ?? PAGE,
    ...(keyId !== undefined && { keyId }),
    ...(model !== undefined && { model }),
    ...(kind !== undefined && { kind }),
    ...(error !== undefined && { error }),
    ...(tag !== undefined && { tag }),
    ...(status !== undefined && { statusClass: Number(status[0]) }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(after !== undefined && { after: placeOfRequest(after, 'after') }),
  };
}

/** The page of a filter. */
export async function listRequests(
  { requests }: Pick<Store, 'requests'>,
  filter: RequestFilter,
  nameOf: AccountNames,
): Promise<components['schemas']['RequestList']> {
  const { rows, next } = await requests.list(filter);
  return {
    object: 'list',
    data: rows.map((row) => requestView(row, nameOf)),
    has_more: next !== undefined,
    next_after: next?.id ?? null,
  };
}

/** The overview that is asked for; `ownerId` 0 is everybody. */
export function overviewIn(
  { requests }: Pick<Store, 'requests'>,
  request: Request,
  of: Tenant,
  now: number,
): Promise<Overview> {
  const from = momentIn(request, 'from');
  const step = numberIn(request, 'step');
  return readOverview(requests, {
    ...of,
    // The end is not included: without one, all of this very moment is.
    to: momentIn(request, 'to') ?? now + 1,
    ...(from !== undefined && { from }),
    ...(step !== undefined && { stepMs: step * 1000 }),
  });
}
