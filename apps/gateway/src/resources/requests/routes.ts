/** /admin/requests, /admin/overview: what happened. */
import type { components } from '@model-gateway/contracts';
import { present } from '../../present.ts';
import {
  auditedBy,
  numberIn,
  textIn,
  type AdminCall,
  type AdminOperations,
  type AdminParts,
} from '../admin-operation.ts';
import { OwnerService } from '../owners/service.ts';
import { requestDetail } from './detail.ts';
import { filterIn, listRequests, overviewIn } from './filter.ts';
import { forOperators, overviewView } from './view.ts';

const EVERYBODY = 0;

/** One request in full. Reading what people said leaves a line in the audit log; nothing else that is read does. */
export async function readRequest(
  parts: AdminParts,
  call: AdminCall<'getRequest' | 'prepareReplay'>,
): Promise<components['schemas']['RequestDetail']> {
  const { store, catalogue, flush, flushRequests, contents } = parts;
  await Promise.all([flush(), flushRequests()]);
  const id = String(call.params['request_id']);
  const detail = await requestDetail(store, id, { nameOf: forOperators(catalogue()), contents });
  const { request, content } = detail;
  if (content !== null && content.fault === null) {
    const after = { owner_id: request.owner_id, key_id: request.key_id, mode: request.mode };
    await auditedBy(parts, call).record({ action: 'request.read', subject: `request ${request.id}`, after });
  }
  return detail;
}

/** Operations on the log of requests. What this process has not written yet is written first. */
export function requestOperations(parts: AdminParts): AdminOperations {
  const { store, catalogue, now, flush, flushRequests } = parts;
  return {
    listRequests: async (call) => {
      await flushRequests();
      const mode = textIn(call, 'mode') as 'live' | 'test' | undefined;
      const filter = { ...filterIn(call), ...present({ ownerId: numberIn(call, 'owner_id'), mode }) };
      return listRequests(store, filter, forOperators(catalogue()));
    },
    getRequest: async (call) => readRequest(parts, call),
    waiveRequest: async (call) => {
      await flush();
      return new OwnerService(auditedBy(parts, call)).waive(String(call.params['request_id']), call.body);
    },
    listDroppedParameters: async (call) => {
      await flushRequests();
      return (await import('./dropped.ts')).listDroppedParameters(store, call, now());
    },
    getOverview: async (call) => {
      await flushRequests();
      const ownerId = numberIn(call, 'owner_id') ?? EVERYBODY;
      const mode = textIn(call, 'mode') === 'test' ? 'test' : 'live';
      const overview = await overviewIn(store, call, { ownerId, mode }, now());
      return overviewView(overview, textIn(call, 'compare') === 'true');
    },
  };
}
