/** What reading the log of requests takes from a request: filters, places, the bill beside a row. */
import { GatewayError, type components } from '@model-gateway/contracts';
import { readOverview, type Overview, type RequestFilter, type Store, type Tenant } from '@model-gateway/core';
import { codesCalled } from '@model-gateway/translate';
import { placeOfRequest } from './detail.ts';
import { namesOfRows, requestView, type AccountNames } from './view.ts';
import { present } from '../../present.ts';
import { identityIn, momentIn, numberIn, textIn, type Asked } from '../admin-operation.ts';

const PAGE = 100;

/** Which requests the query asks for, whoever they belong to. */
export function filterIn(asked: Asked): RequestFilter {
  const [model, kind, tag] = ['model', 'kind', 'tag'].map((name) => textIn(asked, name));
  const error = textIn(asked, 'error');
  const after = textIn(asked, 'after');
  return {
    limit: numberIn(asked, 'limit') ?? PAGE,
    ...present({
      keyId: numberIn(asked, 'key_id'),
      ...{ model, kind, tag },
      identity: identityIn(asked),
      errors: error === undefined ? undefined : codesCalled(error),
      statusClass: statusClassOf(textIn(asked, 'status')),
      from: momentIn(asked, 'from'),
      to: momentIn(asked, 'to'),
      after: after === undefined ? undefined : placeOfRequest(after, 'after'),
    }),
  };
}

function statusClassOf(status: string | undefined): number | undefined {
  if (status === undefined) return undefined;
  if (/^[245]xx$/.test(status)) return Number(status[0]);
  throw new GatewayError('invalid_request', 'status must be 2xx, 4xx or 5xx', { param: 'status' });
}

/** The page of a filter. */
export async function listRequests(
  store: Pick<Store, 'requests' | 'owners' | 'keys'>,
  filter: RequestFilter,
  nameOf: AccountNames,
): Promise<components['schemas']['RequestList']> {
  const { rows, next } = await store.requests.list(filter);
  const names = await namesOfRows(store, rows);
  return {
    object: 'list',
    data: rows.map((row) => requestView(row, nameOf, names)),
    has_more: next !== undefined,
    next_after: next?.id ?? null,
  };
}

/** The overview that is asked for; `ownerId` 0 is everybody. */
export function overviewIn(
  { requests }: Pick<Store, 'requests'>,
  asked: Asked,
  of: Tenant,
  now: number,
): Promise<Overview> {
  const from = momentIn(asked, 'from');
  const step = numberIn(asked, 'step');
  return readOverview(requests, {
    ...of,
    // The end is not included: without one, all of this very moment is.
    to: momentIn(asked, 'to') ?? now + 1,
    ...present({ from, stepMs: step === undefined ? undefined : step * 1000 }),
  });
}
