/** What requests are charged that were in flight when their process died. */
import { interruptedId, type InterruptedRequest, type RequestAtRisk } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { move, requireOwner } from './balances.ts';
import type { Database } from './database.ts';
import { entryColumns } from './entries.ts';
import { negative } from './holds.ts';
import { parse } from './rows.ts';
import { scopesIn } from './scope-windows.ts';
import type { LeaseRow } from './tables.ts';

type Lease = Selectable<LeaseRow>;

/** A part of what is charged: of one request, or of those that nobody named. */
interface Part {
  readonly of: RequestAtRisk | undefined;
  readonly units: number;
  /** Of `units`, what the lease does not pay. */
  readonly direct: number;
}

/** Charges what the dead process had at risk, each request by itself as far as they are known; `lease` is then as the database has it. */
export async function settleDead(
  tx: Database,
  lease: Lease,
  now: number,
): Promise<{ readonly lease: Lease; readonly interrupted: readonly InterruptedRequest[] }> {
  const owner = await requireOwner(tx, lease.owner_id);
  const fromLease = Math.min(lease.at_risk, lease.amount - lease.spent);
  // Who has no limit leased no money: what was at risk is charged like everything else of his.
  const beyond = lease.at_risk - fromLease;
  const direct = owner.credit_limit === null ? beyond : Math.min(beyond, lease.overdraft);
  const settled = fromLease + direct;
  if (settled === 0) return { lease, interrupted: [] };
  const interrupted: InterruptedRequest[] = [];
  for (const part of partsOf(lease, fromLease, settled)) {
    await writePart(tx, lease, part, now);
    if (part.of === undefined) continue;
    interrupted.push({ ...part.of, ownerId: lease.owner_id, keyId: lease.key_id, charged: part.units });
  }
  await move(tx, {
    ...{ ownerId: lease.owner_id, keyId: lease.key_id, balance: negative(direct), used: direct, at: now },
    scopes: scopesIn(lease.scopes),
  });
  const after = { spent: lease.spent + fromLease, settled, at_risk: 0, at_risk_requests: null };
  await tx.db.updateTable('leases').set(after).where('id', '=', lease.id).execute();
  return { lease: { ...lease, ...after }, interrupted };
}

/** The lease pays first. Requests without a name, and those that ended and whose charge was not written, are one part, the last one. */
function partsOf(lease: Lease, fromLease: number, settled: number): Part[] {
  const parts: Part[] = [];
  let left = settled;
  let funded = fromLease;
  const add = (of: RequestAtRisk | undefined, most: number): void => {
    const units = Math.min(most, left);
    if (units === 0) return;
    const direct = Math.max(0, units - funded);
    parts.push({ of, units, direct });
    funded -= units - direct;
    left -= units;
  };
  for (const request of parse<RequestAtRisk[]>(lease.at_risk_requests ?? '[]')) add(request, request.units);
  add(undefined, left);
  return parts;
}

async function writePart(tx: Database, lease: Lease, { of, units, direct }: Part, now: number): Promise<void> {
  const about =
    of === undefined
      ? {}
      : {
          ...{ requestId: of.id, reserved: of.reserved, basis: of.basis },
          ...(of.defaultPrice !== undefined && { default_price: of.defaultPrice }),
        };
  await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        owner_id: lease.owner_id,
        key_id: lease.key_id,
        kind: 'capture',
        amount: negative(direct),
        charged: units,
        scopes: direct === 0 ? null : lease.scopes,
        hold_id: lease.id,
        request_id: of === undefined ? `crash-settlement-${lease.id}` : interruptedId(of.id),
        model: of?.model ?? null,
        endpoint: of?.endpoint ?? null,
        detail: { crashSettlement: true, process: lease.process, atRisk: of?.units ?? lease.at_risk, ...about },
        created_at: now,
      }),
    )
    .execute();
}
