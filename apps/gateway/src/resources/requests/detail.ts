/** One request of the log in full, for the APIs and the command. */
import { GatewayError, type components } from '@model-gateway/contracts';
import type { ContentReader, RequestPlace, RequestRow, Store, Tenant } from '@model-gateway/core';
import { timeOfRequestId } from '../../http/request-id.ts';
import { attemptsView, contentView, namesOfRows, requestView, type AccountNames } from './view.ts';
import { replayBill } from '../ledger/bills.ts';

export interface RequestDetailOptions {
  /** Absent: anybody's. */
  readonly of?: Tenant;
  readonly nameOf: AccountNames;
  readonly contents: ContentReader;
}

/** One request with its attempts and its bill; `of` when only its tenant may see it. Throws `not_found`. */
export async function requestDetail(
  store: Pick<Store, 'requests' | 'ledger' | 'owners' | 'keys'>,
  id: string,
  { of, nameOf, contents }: RequestDetailOptions,
): Promise<components['schemas']['RequestDetail']> {
  const row = await store.requests.get(placeOfRequest(id, 'request_id'));
  if (row === undefined || (of !== undefined && (row.ownerId !== of.ownerId || row.mode !== of.mode)))
    throw new GatewayError('not_found', `the request log has no request '${id.slice(0, 80)}'`, { param: 'request_id' });
  return {
    request: requestView(row, nameOf, await namesOfRows(store, [row])),
    attempts: attemptsView(row, nameOf),
    bill: await billOf(store.ledger, row),
    content: contentView(await contents.read(row)),
  };
}

async function billOf(
  ledger: Store['ledger'],
  { id }: RequestRow,
): Promise<components['schemas']['RequestDetail']['bill']> {
  try {
    return await replayBill(ledger, id);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Ids begin with their moment: it is the place in the log. */
export function placeOfRequest(id: string, param: string): RequestPlace {
  const at = timeOfRequestId(id);
  if (at !== undefined) return { at, id };
  if (param === 'after')
    throw new GatewayError('invalid_request', 'after must be the next_after of the previous page', { param });
  throw new GatewayError('not_found', `the request log has no request '${id.slice(0, 80)}'`, { param });
}
