/** /admin/keys */
import type { MadeKey } from '../../admin/keys.ts';
import { keyView } from '../../admin/views.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { idIn, numberIn, idOfText, pageOf, servicesFor, textIn, type AdminParts } from './shared.ts';

/** Handlers of the key operations. A change takes effect here at once, on other replicas within two seconds. */
export function adminKeyRoutes(parts: AdminParts): Handlers {
  const { store, keysChanged } = parts;
  return {
    listKeys: operation<'listKeys'>(async ({ request }) => {
      const { filter, view } = pageOf(request, idOfText);
      const ownerId = numberIn(request, 'owner_id');
      const page = await store.keys.list({
        ...filter,
        order: 'newest',
        includeRevoked: textIn(request, 'include_revoked') === 'true',
        ...(ownerId !== undefined && { ownerId }),
      });
      return { status: 200, body: view(page, keyView) };
    }),
    createKey: operation<'createKey'>(async ({ request, response, body }) => {
      const made = await servicesFor(parts, request, response).keys.create(body);
      keysChanged();
      return { status: 200, body: madeView(made) };
    }),
    rotateKey: operation<'rotateKey'>(async ({ request, response, body }) => {
      const { keys } = servicesFor(parts, request, response);
      const made = await keys.rotate(idIn(request, 'key_id'), body.overlap_seconds);
      keysChanged();
      return { status: 200, body: madeView(made) };
    }),
    getKey: operation<'getKey'>(async ({ request, response }) => ({
      status: 200,
      body: keyView(await servicesFor(parts, request, response).keys.get(idIn(request, 'key_id'))),
    })),
    updateKey: operation<'updateKey'>(async ({ request, response, body }) => {
      const key = await servicesFor(parts, request, response).keys.update(idIn(request, 'key_id'), body);
      keysChanged();
      return { status: 200, body: keyView(key) };
    }),
    revokeKey: operation<'revokeKey'>(async ({ request, response }) => {
      const key = await servicesFor(parts, request, response).keys.revoke(idIn(request, 'key_id'));
      keysChanged();
      return { status: 200, body: keyView(key) };
    }),
  };
}

function madeView({ secret, webhookSecret, key }: MadeKey) {
  return { secret, webhook_secret: webhookSecret ?? null, key: keyView(key) };
}
