/**
 * What the accounts of vendors keep (files, media, tasks, prompts, caches) and no answer of the gateway brought. Accounts are shared by all
 * tenants, so whose it is only the operator knows: where there is one owner it is his, and otherwise it is who the account's row says.
 */
import { GatewayError, isJsonObject, type Json } from '@model-gateway/contracts';
import type { GatewayAccount, Offer } from '../catalogue.ts';
import type { Parts } from '../parts.ts';

/** Names behind which such an id stands, in both spellings; ids of voices, templates and effects are everybody's. */
const KEPT =
  /(?:^|_)(?:file|media|asset|element|video|clip|task)_ids?$|(?:^|[a-z])(?:File|Media|Asset|Element|Video|Clip|Task)Ids?$|^(?:file|media|asset|element|video|clip|task)Ids?$/;
/** Behind these as `{ id }`. */
const HOLDERS = /^draft_?task$/i;
/** The callers' own names of their tasks. */
const OWN = new Set(['external_task_id', 'client_task_id']);
/** Text that holds JSON of the vendor's. */
const PACKED = /^(?:ext_?info|session_?context)$/i;
const PACKED_NAMES = /(?:file|media|asset|element|video|task)_?id/i;

export type KeptParts = Pick<Parts, 'store' | 'unknownVendorIds'>;

/** Whether ids that no answer of this gateway brought are refused: where there is more than one owner, unless the operator said otherwise. */
async function areUnknownRefused({ store, unknownVendorIds }: KeptParts): Promise<boolean> {
  if (unknownVendorIds !== undefined) return unknownVendorIds === 'refuse';
  // With one owner whatever the account keeps is his. Rows of negative ids only pay for test keys.
  return (await store.owners.list({ limit: 2, after: 0 })).length > 1;
}

/** The offers whose account may be asked for something that no answer brought; `id` undefined: for whatever it keeps. */
export async function offersKeeping(
  parts: KeptParts,
  offers: readonly Offer[],
  { ownerId, id }: { readonly ownerId: number; readonly id?: string },
): Promise<readonly Offer[]> {
  // Whose single thing it is says one account, and no other has it.
  const named = id === undefined ? [] : offers.filter(({ account }) => ownersOfId(account, id) !== undefined);
  if (id !== undefined && named.length > 0)
    return named.filter(({ account }) => ownersOfId(account, id)?.includes(ownerId) === true);
  const assigned = offers.filter(({ account }) => account.owners?.includes(ownerId) === true);
  if (assigned.length > 0 || (await areUnknownRefused(parts))) return assigned;
  return offers.filter(({ account }) => account.owners === undefined);
}

function ownersOfId({ vendorIds }: GatewayAccount, id: string): readonly number[] | undefined {
  return vendorIds !== undefined && Object.hasOwn(vendorIds, id) ? vendorIds[id] : undefined;
}

/** Throws `not_found` naming the field where a body names what an account keeps and not all of these accounts may be asked for it. */
export function refuseKept(parts: KeptParts, body: Json, whose: Whose): Promise<void> {
  return refuseReferences(parts, keptIn(body), whose);
}

interface Whose {
  readonly ownerId: number;
  readonly offers: readonly Offer[];
}

/** The same of references that were found elsewhere. */
export async function refuseReferences(
  parts: KeptParts,
  references: Iterable<Kept>,
  { ownerId, offers }: Whose,
): Promise<void> {
  for (const { id, param } of references) {
    const keeping = await offersKeeping(parts, offers, { ownerId, ...(id !== undefined && { id }) });
    if (keeping.length > 0 && keeping.length === offers.length) continue;
    throw new GatewayError(
      'not_found',
      `${param}: ids of things that a vendor stores are not allowed here, because they may belong to others; send the file itself or its URL`,
      { param, taken: 'no' },
    );
  }
}

/** What an account keeps, as a body names it. */
export interface Kept {
  /** Undefined where a text or a list holds it. */
  readonly id: string | undefined;
  readonly param: string;
}

/** Every such id with its place. */
export function* keptIn(value: Json, place = ''): Generator<Kept> {
  if (Array.isArray(value)) for (const [index, each] of value.entries()) yield* keptIn(each, `${place}[${index}]`);
  if (!isJsonObject(value)) return;
  for (const [name, each] of Object.entries(value)) {
    const at = place === '' ? name : `${place}.${name}`;
    if (isGiven(each) && (HOLDERS.test(name) || (KEPT.test(name) && !OWN.has(name))))
      yield { id: idOf(each), param: at };
    else if (typeof each === 'string' && PACKED.test(name) && PACKED_NAMES.test(each))
      yield { id: undefined, param: at };
    else yield* keptIn(each, at);
  }
}

function idOf(value: Json): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return isJsonObject(value) && typeof value['id'] === 'string' ? value['id'] : undefined;
}

function isGiven(value: Json): boolean {
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}
