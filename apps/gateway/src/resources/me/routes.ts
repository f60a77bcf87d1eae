/** What a key may know of itself and its owner: /v1/me, /v1/usage, /v1/statement, /v1/overview, /v1/requests, /v1/ledger, /v1/webhook-deliveries. Owner and mode separate everything. */
import type { Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { payerIdOf, type ContentReader, type Store, type Tenant } from '@model-gateway/core';
import { sendCsv } from '../csv.ts';
import { entryView } from '../ledger/bills.ts';
import { askedLedgerCsv } from '../ledger/routes.ts';
import { keyView, limitUse } from '../keys/view.ts';
import { ownerOf, ownerView } from '../owners/service.ts';
import { askedStatement, sendStatement } from '../owners/statement.ts';
import { requestDetail } from '../requests/detail.ts';
import { NO_ACCOUNTS } from '../usage/groups.ts';
import { usageReport } from '../usage/routes.ts';
import { deliveryView } from '../webhooks/routes.ts';
import { createTurns, type InTurn } from '../../http/in-turn.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { forOwners, overviewView } from '../requests/view.ts';
import { deliveriesIn, entriesIn, idOfText, pageOf, textIn } from '../admin-operation.ts';
import { filterIn, listRequests, overviewIn } from '../requests/filter.ts';

export interface OwnRouteParts {
  readonly store: Pick<Store, 'requests' | 'ledger' | 'owners' | 'keys' | 'webhooks'>;
  readonly now: () => number;
  /** Writes what chat has journalled. */
  readonly flush: () => Promise<void>;
  /** Writes what waits for the log of requests. */
  readonly flushRequests: () => Promise<void>;
  /** Reads prompts and answers that are kept. */
  readonly contents: ContentReader;
}

/** Handlers of what owners see of themselves. */
export function ownRoutes(parts: OwnRouteParts): Handlers {
  const inTurn = createTurns();
  return { ...moneyRoutes(parts, inTurn), ...requestRoutes(parts, inTurn), ...deliveryRoutes(parts, inTurn) };
}

/** What there is to spend, and what was spent. */
function moneyRoutes({ store, now, flush }: OwnRouteParts, inTurn: InTurn): Handlers {
  const listOwnEntries = operation<'listOwnLedgerEntries'>(({ request, response }) =>
    inTurn(tenantOf(response).ownerId, async () => {
      await flush();
      const { filter, view } = pageOf(request, idOfText);
      const ownerId = payerIdOf(tenantOf(response));
      const entries = await store.ledger.entries({ ...filter, ownerId, order: 'newest', ...entriesIn(request) });
      return { status: 200, body: view(entries, entryView) };
    }),
  );
  return {
    getMe: operation<'getMe'>(({ response }) =>
      inTurn(tenantOf(response).ownerId, async () => {
        const { key } = response.locals.exchange.caller;
        await flush();
        const owner = await store.owners.get(key.ownerId);
        if (owner === undefined) throw new GatewayError('not_found', 'the owner of this key no longer exists');
        return {
          status: 200,
          body: {
            object: 'me',
            mode: key.mode,
            key: keyView(key),
            owner: ownerView(owner),
            limits: await limitUse(store.ledger, key, now()),
          },
        };
      }),
    ),
    getOwnUsage: operation<'getOwnUsage'>(({ request, response }) =>
      inTurn(tenantOf(response).ownerId, async () => {
        await flush();
        const report = await usageReport({ store, accounts: NO_ACCOUNTS }, request, tenantOf(response), now());
        return { status: 200, body: report };
      }),
    ),
    async getOwnStatement(request, response) {
      const { ownerId, mode } = tenantOf(response);
      const statement = await inTurn(ownerId, async () => {
        await flush();
        const owner = await ownerOf(store, ownerId);
        return askedStatement(store.ledger, request, { owner, mode }, now());
      });
      await sendStatement(response, statement);
    },
    async listOwnLedgerEntries(request, response) {
      const { ownerId, mode } = tenantOf(response);
      const csv = await inTurn(ownerId, () => askedLedgerCsv({ store, flush }, request, payerIdOf({ ownerId, mode })));
      if (csv === undefined) await listOwnEntries(request, response);
      else await sendCsv(response, 'ledger.csv', csv);
    },
  };
}

function requestRoutes({ store, now, flush, flushRequests, contents }: OwnRouteParts, inTurn: InTurn): Handlers {
  return {
    getOwnOverview: operation<'getOwnOverview'>(({ request, response }) =>
      inTurn(tenantOf(response).ownerId, async () => {
        await flushRequests();
        const overview = await overviewIn(store, request, tenantOf(response), now());
        return { status: 200, body: await overviewView(overview, textIn(request, 'compare') === 'true') };
      }),
    ),
    listOwnRequests: operation<'listOwnRequests'>(({ request, response }) =>
      inTurn(tenantOf(response).ownerId, async () => {
        await flushRequests();
        const filter = { ...filterIn(request), ...tenantOf(response) };
        return { status: 200, body: await listRequests(store, filter, forOwners) };
      }),
    ),
    getOwnRequest: operation<'getOwnRequest'>(({ request, response }) =>
      inTurn(tenantOf(response).ownerId, async () => {
        await Promise.all([flush(), flushRequests()]);
        const detail = await requestDetail(store, String(request.params['request_id']), {
          of: tenantOf(response),
          nameOf: forOwners,
          contents,
        });
        return { status: 200, body: detail };
      }),
    ),
  };
}

function deliveryRoutes({ store, now }: OwnRouteParts, inTurn: InTurn): Handlers {
  return {
    listOwnWebhookDeliveries: operation<'listOwnWebhookDeliveries'>(({ request, response }) =>
      inTurn(tenantOf(response).ownerId, async () => {
        const { filter, view } = pageOf(request, String);
        const deliveries = await store.webhooks.list({
          ...filter,
          tenant: tenantOf(response),
          ...deliveriesIn(request),
        });
        return { status: 200, body: view(deliveries, deliveryView) };
      }),
    ),
    replayOwnWebhookDelivery: operation<'replayOwnWebhookDelivery'>(async ({ request, response }) => {
      const id = String(request.params['delivery_id']);
      const found = await store.webhooks.get(id);
      const { ownerId, mode } = tenantOf(response);
      const delivery = found?.tenant === `${ownerId} ${mode}` ? await store.webhooks.replay(id, now()) : undefined;
      if (delivery !== undefined) return { status: 200, body: deliveryView(delivery) };
      throw new GatewayError('not_found', `there is no delivery '${id.slice(0, 80)}'`, { param: 'delivery_id' });
    }),
  };
}

function tenantOf(response: Response): Tenant {
  const { ownerId, mode } = response.locals.exchange.caller.key;
  return { ownerId, mode };
}
