/** /admin/requests, /admin/overview: what happened. */
import { requestDetail } from './detail.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { forOperators, overviewView } from './view.ts';
import { filterIn, listRequests, overviewIn } from './filter.ts';
import { numberIn, servicesFor, textIn, type AdminParts } from '../admin.ts';

const EVERYBODY = 0;

/** Handlers of the log of requests. What this process has not written yet is written first. */
export function adminRequestRoutes(parts: AdminParts): Handlers {
  const { store, catalogue, now, flush, flushRequests, contents } = parts;
  return {
    listRequests: operation<'listRequests'>(async ({ request }) => {
      await flushRequests();
      const ownerId = numberIn(request, 'owner_id');
      const mode = textIn(request, 'mode') as 'live' | 'test' | undefined;
      const filter = {
        ...filterIn(request),
        ...(ownerId !== undefined && { ownerId }),
        ...(mode !== undefined && { mode }),
      };
      return { status: 200, body: await listRequests(store, filter, forOperators(catalogue())) };
    }),
    getRequest: operation<'getRequest'>(async ({ request, response }) => {
      await Promise.all([flush(), flushRequests()]);
      const id = String(request.params['request_id']);
      const body = await requestDetail(store, id, { nameOf: forOperators(catalogue()), contents });
      await servicesFor(parts, request, response).requestRead(body);
      return { status: 200, body };
    }),
    getOverview: operation<'getOverview'>(async ({ request }) => {
      await flushRequests();
      const ownerId = numberIn(request, 'owner_id') ?? EVERYBODY;
      const mode = textIn(request, 'mode') === 'test' ? 'test' : 'live';
      const overview = await overviewIn(store, request, { ownerId, mode }, now());
      return { status: 200, body: await overviewView(overview, textIn(request, 'compare') === 'true') };
    }),
  };
}
