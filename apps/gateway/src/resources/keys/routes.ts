/** /admin/keys */
import { limitUse } from './limit-use.ts';
import { keyCreatedView, keyView } from '../admin-views.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { idIn, numberIn, idOfText, pageOf, servicesFor, textIn, type AdminParts } from '../admin.ts';

/** Handlers of the key operations. A change takes effect here at once, on other replicas within two seconds. */
export function adminKeyRoutes(parts: AdminParts): Handlers {
  const { store, keysChanged, flush } = parts;
  return {
    listKeys: operation<'listKeys'>(async ({ request }) => {
      const { filter, view } = pageOf(request, idOfText);
      const ownerId = numberIn(request, 'owner_id');
      const [name = '', ...value] = textIn(request, 'tag')?.split('=') ?? [];
      const page = await store.keys.list({
        ...filter,
        order: 'newest',
        includeRevoked: textIn(request, 'include_revoked') === 'true',
        ...(ownerId !== undefined && { ownerId }),
        ...(name !== '' && { tag: { name, value: value.join('=') } }),
      });
      return { status: 200, body: view(page, keyView) };
    }),
    createKey: operation<'createKey'>(async ({ request, response, body }) => {
      const made = await servicesFor(parts, request, response).keys.create(body);
      await keysChanged();
      return { status: 200, body: keyCreatedView(made) };
    }),
    rotateKey: operation<'rotateKey'>(async ({ request, response, body }) => {
      const { keys } = servicesFor(parts, request, response);
      const made = await keys.rotate(idIn(request, 'key_id'), body.overlap_seconds);
      await keysChanged();
      return { status: 200, body: keyCreatedView(made) };
    }),
    getKey: operation<'getKey'>(async ({ request, response }) => ({
      status: 200,
      body: keyView(await servicesFor(parts, request, response).keys.get(idIn(request, 'key_id'))),
    })),
    getKeyLimits: operation<'getKeyLimits'>(async ({ request, response }) => {
      await flush();
      const key = await servicesFor(parts, request, response).keys.get(idIn(request, 'key_id'));
      const limits = await limitUse(store.ledger, key, parts.now());
      return { status: 200, body: { object: 'key_limit_use', key_id: key.id, limits } };
    }),
    updateKey: operation<'updateKey'>(async ({ request, response, body }) => {
      const key = await servicesFor(parts, request, response).keys.update(idIn(request, 'key_id'), body);
      await keysChanged();
      return { status: 200, body: keyView(key) };
    }),
    revokeKey: operation<'revokeKey'>(async ({ request, response }) => {
      const key = await servicesFor(parts, request, response).keys.revoke(idIn(request, 'key_id'));
      await keysChanged();
      return { status: 200, body: keyView(key) };
    }),
  };
}
