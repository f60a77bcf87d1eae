/** /admin/keys */
import { present } from '../../present.ts';
import {
  auditedBy,
  idIn,
  idOfText,
  numberIn,
  pageOf,
  textIn,
  type AdminOperations,
  type AdminParts,
} from '../admin-operation.ts';
import type { Actor } from '../audit/audited.ts';
import { KeyService } from './service.ts';
import { keyView, limitUse } from './view.ts';

/** Operations on keys. A change takes effect here at once, on other replicas within two seconds. */
export function keyOperations(parts: AdminParts): AdminOperations {
  const { store, catalogue, keysChanged, flush, now } = parts;
  const keysFor = (call: { readonly actor: Actor }) => new KeyService(auditedBy(parts, call), catalogue);
  const afterwards = async <T>(change: Promise<T>): Promise<T> => {
    const answer = await change;
    await keysChanged();
    return answer;
  };
  return {
    listKeys: async (call) => {
      const { filter, view } = pageOf(call, idOfText);
      const [name = '', ...value] = textIn(call, 'tag')?.split('=') ?? [];
      const keys = await store.keys.list({
        ...filter,
        order: 'newest',
        includeRevoked: textIn(call, 'include_revoked') === 'true',
        ...present({ ownerId: numberIn(call, 'owner_id'), name: textIn(call, 'name') }),
        ...(name !== '' && { tag: { name, value: value.join('=') } }),
      });
      return view(keys, keyView);
    },
    createKey: (call) => afterwards(keysFor(call).create(call.body)),
    rotateKey: (call) => afterwards(keysFor(call).rotate(idIn(call, 'key_id'), call.body.overlap_seconds)),
    getKey: async (call) => keyView(await keysFor(call).get(idIn(call, 'key_id'))),
    getKeyLimits: async (call) => {
      await flush();
      const key = await keysFor(call).get(idIn(call, 'key_id'));
      return { object: 'key_limit_use', key_id: key.id, limits: await limitUse(store.ledger, key, now()) };
    },
    updateKey: (call) => afterwards(keysFor(call).update(idIn(call, 'key_id'), call.body)),
    revokeKey: (call) => afterwards(keysFor(call).revoke(idIn(call, 'key_id'))),
  };
}
