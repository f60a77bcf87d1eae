/**
 * Bodies of pictures, videos and speech that name what a vendor keeps: files, media and tasks of the account, which all tenants share. Nothing
 * that the gateway answers brings such an id, so none is the caller's own.
 */
import { GatewayError, isJsonObject, type Json } from '@model-gateway/contracts';
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
export async function areUnknownRefused({ store, unknownVendorIds }: KeptParts): Promise<boolean> {
  if (unknownVendorIds !== undefined) return unknownVendorIds === 'refuse';
  // With one owner whatever the account keeps is his.
  return (await store.owners.list({ limit: 2 })).length > 1;
}

/** Throws `not_found` naming the field where a body names what the account keeps and such is refused. */
export async function refuseKept(parts: KeptParts, body: Json): Promise<void> {
  const param = keptIn(body, '');
  if (param === undefined || !(await areUnknownRefused(parts))) return;
  throw new GatewayError(
    'not_found',
    `${param}: what a vendor keeps cannot be named here, for it may be another's; send the file itself or its address`,
    { param, taken: 'no' },
  );
}

/** The place of the first such id. */
function keptIn(value: Json, place: string): string | undefined {
  if (Array.isArray(value)) return firstOf(value.map((each, index) => [each, `${place}[${index}]`]));
  if (!isJsonObject(value)) return undefined;
  const inner: (readonly [Json, string])[] = [];
  for (const [name, each] of Object.entries(value)) {
    const at = place === '' ? name : `${place}.${name}`;
    if (isGiven(each) && (HOLDERS.test(name) || (KEPT.test(name) && !OWN.has(name)))) return at;
    if (typeof each === 'string' && PACKED.test(name) && PACKED_NAMES.test(each)) return at;
    inner.push([each, at]);
  }
  return firstOf(inner);
}

function firstOf(values: readonly (readonly [Json, string])[]): string | undefined {
  for (const [value, place] of values) {
    const found = keptIn(value, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isGiven(value: Json): boolean {
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}
