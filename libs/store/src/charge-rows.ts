import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { isJsonObject } from '@model-gateway/contracts';
import type { ChargeRecord } from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { tokenCount } from './entries.ts';
import { negative } from './holds.ts';

/*
 * The one insert that every chat request pays for. It is prepared once and has few places: what is the same in every charge is in its
 * text, what is absent is null by itself.
 */

const COLUMNS =
  'owner_id, key_id, amount, charged, shortfall, hold_id, request_id, model, endpoint, account_id, price_version, input_tokens, output_tokens, detail, created_at';
const INSERT = `insert into ledger_entries (${COLUMNS}, kind, closes, capped)`;

/** Answers how many were written: one whose request is in the ledger already is not. */
export async function insertCharges(tx: Database, charges: readonly ChargeRecord[]): Promise<number> {
  return tx.sqlite === undefined ? insertInOneStatement(tx, charges) : insertPrepared(tx.sqlite, charges);
}

/** Rows of one statement: fewer calls, and still few enough texts and places to keep prepared. */
const ROWS_TOGETHER = 25;
const prepared = new WeakMap<DatabaseSync, { readonly one: StatementSync; readonly many: StatementSync }>();

/** In one process prepared statements with a place per value cost least. */
function insertPrepared(sqlite: DatabaseSync, charges: readonly ChargeRecord[]): number {
  let statements = prepared.get(sqlite);
  if (statements === undefined) {
    statements = { one: insertOf(sqlite, 1), many: insertOf(sqlite, ROWS_TOGETHER) };
    prepared.set(sqlite, statements);
  }
  let written = 0;
  let at = 0;
  for (; at + ROWS_TOGETHER <= charges.length; at += ROWS_TOGETHER)
    written += Number(statements.many.run(...charges.slice(at, at + ROWS_TOGETHER).flatMap(valuesOf)).changes);
  for (const charge of charges.slice(at)) written += Number(statements.one.run(...valuesOf(charge)).changes);
  return written;
}

function insertOf(sqlite: DatabaseSync, rows: number): StatementSync {
  const row = `(${COLUMNS.replace(/\w+/g, '?')}, 'capture', 0, 0)`;
  return sqlite.prepare(`${INSERT} values ${Array<string>(rows).fill(row).join(', ')} on conflict do nothing`);
}

function valuesOf(charge: ChargeRecord): SQLInputValue[] {
  const { payer, accountId, leaseId, detail } = charge;
  const { inputTokens, outputTokens } = tokensOf(charge);
  return [
    BigInt(payer.ownerId),
    BigInt(payer.keyId),
    BigInt(directAmount(charge)),
    BigInt(charge.charged),
    BigInt(charge.shortfall),
    leaseId === undefined ? null : BigInt(leaseId),
    charge.requestId,
    charge.model,
    charge.endpoint,
    accountId === undefined ? null : BigInt(accountId),
    charge.priceVersion,
    BigInt(inputTokens),
    BigInt(outputTokens),
    JSON.stringify(detail),
    BigInt(charge.at),
  ];
}

/** Over a socket one statement with one parameter costs least, whatever the number of rows. */
async function insertInOneStatement(tx: Database, charges: readonly ChargeRecord[]): Promise<number> {
  const rows = charges.map((charge) => {
    const { inputTokens, outputTokens } = tokensOf(charge);
    return {
      owner_id: charge.payer.ownerId,
      key_id: charge.payer.keyId,
      amount: directAmount(charge),
      charged: charge.charged,
      shortfall: charge.shortfall,
      hold_id: charge.leaseId,
      request_id: charge.requestId,
      model: charge.model,
      endpoint: charge.endpoint,
      account_id: charge.accountId,
      price_version: charge.priceVersion,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      detail: JSON.stringify(charge.detail),
      created_at: charge.at,
    };
  });
  const { numAffectedRows } = await sql`${sql.raw(INSERT)}
    select ${sql.raw(COLUMNS)}, 'capture', 0, 0
    from json_to_recordset(${JSON.stringify(rows)}::json) as charge (
      owner_id bigint, key_id bigint, amount bigint, charged bigint, shortfall bigint, hold_id bigint, request_id text, model text,
      endpoint text, account_id bigint, price_version text, input_tokens bigint, output_tokens bigint, detail text, created_at bigint)
    on conflict do nothing`.execute(tx.db);
  return Number(numAffectedRows ?? 0n);
}

/** What a charge takes from the balance by itself: nothing when a lease has set the money aside. */
function directAmount({ leaseId, charged }: ChargeRecord): number {
  return leaseId === undefined ? negative(charged) : 0;
}

function tokensOf({ detail }: ChargeRecord): { readonly inputTokens: number; readonly outputTokens: number } {
  const usage = isJsonObject(detail['usage']) ? detail['usage'] : {};
  return { inputTokens: tokenCount(usage['inputTokens']), outputTokens: tokenCount(usage['outputTokens']) };
}
