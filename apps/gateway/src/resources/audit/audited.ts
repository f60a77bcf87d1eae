/** The changes that operators make, each in one transaction with its line of the audit log. */
import { GatewayError, type components } from '@model-gateway/contracts';
import type { AuditEntry, Catalogue, Store, TaskRecord, WebhookDelivery } from '@model-gateway/core';
import { createKeyService, type KeyService } from '../keys/service.ts';
import { createOwnerService, type OwnerService } from '../owners/service.ts';
import { deliveryView, entryView, keyView, ownerView, taskView } from '../admin-views.ts';

/** Who acts: the hint of the admin key that came with a request, or `command`. */
export interface Actor {
  readonly actor: string;
  readonly requestId?: string;
}

export interface AdminServices {
  readonly keys: KeyService;
  readonly owners: OwnerService;
  /** Makes a delivery due again. Throws `not_found`. */
  readonly replayWebhook: (id: string) => Promise<WebhookDelivery>;
  /** Remembers who had a task cancelled; the engine has done it. */
  readonly taskCancelled: (before: TaskRecord, after: TaskRecord) => Promise<void>;
  /** Remembers who read what was asked and answered, where it was kept. */
  readonly requestRead: (detail: components['schemas']['RequestDetail']) => Promise<void>;
}

export interface AdminServiceParts {
  readonly store: Store;
  readonly catalogue: () => Catalogue;
  readonly now: () => number;
}

type Tables = Parameters<Parameters<Store['together']>[0]>[0];
type Change = Pick<AuditEntry, 'action' | 'subject'> & { readonly before?: object; readonly after?: object };

/** Makes the services in the name of one actor. Reading leaves no line, but for what people said; a refused change neither. */
export function createAdminServices({ store, catalogue, now }: AdminServiceParts, by: Actor): AdminServices {
  const keysOf = (tables: Tables): KeyService => createKeyService({ store: tables, catalogue, now });
  const ownersOf = (tables: Tables): OwnerService => createOwnerService(tables, now);
  const record = (tables: Tables, { action, subject, before, after }: Change): Promise<void> =>
    tables.audit.add({
      ...by,
      at: now(),
      action,
      subject,
      ...(before !== undefined && { before: { ...before } }),
      ...(after !== undefined && { after: { ...after } }),
    });

  const keys: KeyService = {
    get: (id) => keysOf(store).get(id),
    create: (input) =>
      store.together(async (tables) => {
        const made = await keysOf(tables).create(input);
        await record(tables, { action: 'key.create', subject: `key ${made.key.id}`, after: keyView(made.key) });
        return made;
      }),
    rotate: (id, overlapSeconds) =>
      store.together(async (tables) => {
        const before = keyView(await keysOf(tables).get(id));
        const made = await keysOf(tables).rotate(id, overlapSeconds);
        await record(tables, { action: 'key.rotate', subject: `key ${id}`, before, after: keyView(made.key) });
        return made;
      }),
    update: (id, change) =>
      store.together(async (tables) => {
        const before = keyView(await keysOf(tables).get(id));
        const key = await keysOf(tables).update(id, change);
        // That the secret is another one is told; which one is not.
        const secret = change.webhook_secret !== undefined && { webhook_secret_changed: true };
        await record(tables, {
          action: 'key.update',
          subject: `key ${id}`,
          before,
          after: { ...keyView(key), ...secret },
        });
        return key;
      }),
    revoke: (id) =>
      store.together(async (tables) => {
        const old = await keysOf(tables).get(id);
        const key = await keysOf(tables).revoke(id);
        if (old.revokedAt === undefined)
          await record(tables, {
            action: 'key.revoke',
            subject: `key ${id}`,
            before: keyView(old),
            after: keyView(key),
          });
        return key;
      }),
  };

  const owners: OwnerService = {
    get: (id) => ownersOf(store).get(id),
    list: (page) => ownersOf(store).list(page),
    create: (input) =>
      store.together(async (tables) => {
        const owner = await ownersOf(tables).create(input);
        await record(tables, { action: 'owner.create', subject: `owner ${owner.id}`, after: ownerView(owner) });
        return owner;
      }),
    update: (id, change) =>
      store.together(async (tables) => {
        const before = ownerView(await ownersOf(tables).get(id));
        const owner = await ownersOf(tables).update(id, change);
        await record(tables, { action: 'owner.update', subject: `owner ${id}`, before, after: ownerView(owner) });
        return owner;
      }),
    topUp: (id, input) =>
      store.together(async (tables) => {
        const before = ownerView(await ownersOf(tables).get(id));
        const [last] = await tables.ledger.entries({ ownerId: id, order: 'newest', limit: 1 });
        const change = await ownersOf(tables).topUp(id, input);
        // Under a used Idempotency-Key the line of before comes back, and nothing changes.
        if (change.entry.id > (last?.id ?? 0)) await recordMoney(tables, 'owner.topup', before, change);
        return change;
      }),
    adjust: (id, amount, note) =>
      store.together(async (tables) => {
        const before = ownerView(await ownersOf(tables).get(id));
        const change = await ownersOf(tables).adjust(id, amount, note);
        await recordMoney(tables, 'owner.adjust', before, change);
        return change;
      }),
  };
  const recordMoney = (
    tables: Tables,
    action: string,
    before: object,
    { entry, owner }: Awaited<ReturnType<OwnerService['adjust']>>,
  ): Promise<void> =>
    record(tables, {
      action,
      subject: `owner ${owner.id}`,
      before,
      after: { ...ownerView(owner), entry: entryView(entry) },
    });

  return {
    keys,
    owners,
    taskCancelled: (before, after) =>
      record(store, {
        action: 'task.cancel',
        subject: `task ${after.id}`,
        before: taskView(before),
        after: taskView(after),
      }),
    requestRead: async ({ request, content }) => {
      if (content === null || content.fault !== null) return;
      const after = { owner_id: request.owner_id, key_id: request.key_id, mode: request.mode };
      await record(store, { action: 'request.read', subject: `request ${request.id}`, after });
    },
    replayWebhook: (id) =>
      store.together(async (tables) => {
        const old = await tables.webhooks.get(id);
        const delivery = old === undefined ? undefined : await tables.webhooks.replay(id, now());
        if (old === undefined || delivery === undefined)
          throw new GatewayError('not_found', `there is no webhook delivery '${id.slice(0, 80)}'`, {
            param: 'delivery_id',
          });
        const subject = `webhook delivery ${delivery.id}`;
        await record(tables, {
          action: 'webhook.replay',
          subject,
          before: deliveryView(old),
          after: deliveryView(delivery),
        });
        return delivery;
      }),
  };
}
