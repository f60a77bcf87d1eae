/** What each kind of maintenance job does. */
import { createReadStream } from 'node:fs';
import type { components, JsonObject } from '@model-gateway/contracts';
import { checkInvariants, type Catalogue, type JobContext, type JobWork, type Store } from '@model-gateway/core';
import { backupBeside, removeCopy } from '@model-gateway/store';
import { verifyAll } from '../ledger/bills.ts';
import { accountLookup, type UsageGroup } from '../usage/groups.ts';
import { auditCsv, ledgerCsv, requestCsv, usageCsv, type Period, type TellRows } from './exports.ts';

type Schemas = components['schemas'];
export type JobKind = Schemas['JobKind'];
type Parameter = Exclude<keyof Schemas['JobCreate'], 'kind'>;

/** What of a request each kind takes besides its kind. */
export const JOB_PARAMETERS: Readonly<Record<JobKind, readonly Parameter[]>> = {
  ledger_verify: [],
  invariants: [],
  backup: [],
  usage_export: ['from', 'to', 'owner_id', 'key_id', 'mode', 'group_by', 'tag'],
  ledger_export: ['from', 'to', 'owner_id', 'key_id'],
  request_export: ['from', 'to', 'owner_id', 'key_id', 'mode'],
  audit_export: ['from', 'to'],
};

export interface JobWorkParts {
  readonly store: Store;
  readonly catalogue: () => Pick<Catalogue, 'accounts'>;
  readonly databaseUrl: string;
  /** How much more than their credit owners may owe, quota units. */
  readonly overdraft: number;
  readonly now: () => number;
  /** Write what waits, so that an export has it. */
  readonly flush: () => Promise<void>;
  readonly flushRequests: () => Promise<void>;
}

const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;
const MOST_EXAMPLES = 100;
/** In what shares of a whole are counted. */
const STEPS = 1_000;

/** What a job answers, as the document has it. */
type Result = Schemas['Job']['result'] & JsonObject;

/** The work of every kind. */
export function jobWorks(parts: JobWorkParts): Readonly<Record<JobKind, JobWork>> {
  const { store, catalogue, overdraft, now, flush, flushRequests } = parts;
  return {
    ledger_verify: async ({ signal, tell }) => {
      await flush();
      return foundResult(await verifyAll(store.ledger, { signal, tell: (share) => tell(stepsOf(share), STEPS) }));
    },
    invariants: async ({ signal, tell }) => {
      await flush();
      const [newest] = await store.ledger.entries({ order: 'newest', limit: 1 });
      const total = newest?.id ?? 0;
      const look = { now, overdraft, signal, tell: (done: number) => tell(Math.min(done, total), total) };
      const { violations } = await checkInvariants(store.invariants, look);
      tell(total, total);
      return foundResult(violations);
    },
    backup: async (context) => {
      await flush();
      return backup(context, parts);
    },
    usage_export: async (context) => {
      await flush();
      const { from, ...period } = periodOf(context, now());
      const groupBy = (context.parameters['group_by'] ?? ['day']) as UsageGroup[];
      const { tag } = context.parameters as { readonly tag?: string };
      const asked = { ...period, from: from ?? period.to - USAGE_DAYS * DAY_MS, ...(tag !== undefined && { tag }) };
      const usage = { store, accounts: accountLookup(catalogue()) };
      return csvFile(context, 'usage', (tell) => usageCsv(usage, asked, [...new Set(groupBy)], tell));
    },
    ledger_export: async (context) => {
      await flush();
      return csvFile(context, 'ledger', (tell) => ledgerCsv(store, wholePeriodOf(context, now()), tell));
    },
    request_export: async (context) => {
      await Promise.all([flush(), flushRequests()]);
      return csvFile(context, 'requests', (tell) => requestCsv(store, wholePeriodOf(context, now()), tell));
    },
    audit_export: async (context) =>
      csvFile(context, 'audit', (tell) => auditCsv(store.audit, wholePeriodOf(context, now()), tell)),
  };
}

function stepsOf(share: number): number {
  return Math.round(share * STEPS);
}

function foundResult(found: readonly { readonly subject: string; readonly message: string }[]): Result {
  const examples = found.slice(0, MOST_EXAMPLES).map(({ subject, message }) => ({ subject, message }));
  return { ok: found.length === 0, found: found.length, examples, rows: null };
}

/** Keeps what an export writes; its rows are its progress, and its share of the whole their total. */
async function csvFile(
  { id, tell, keepFile }: JobContext,
  name: string,
  write: (tell: TellRows) => AsyncIterable<Uint8Array>,
): Promise<Result> {
  let rows = 0;
  await keepFile(
    `${name}-${id}.csv`,
    'text/csv',
    write((written, share) => {
      rows = written;
      tell(stepsOf(share), STEPS);
    }),
  );
  return { ok: null, found: null, examples: [], rows };
}

/** From the parameters, which the document has checked; times are those of the moment the job began. */
function periodOf({ parameters }: JobContext, now: number): Omit<Period, 'from'> & { readonly from?: number } {
  const { from, to, owner_id: ownerId, key_id: keyId, mode } = parameters;
  return {
    ...(typeof from === 'string' && { from: Date.parse(from) }),
    // The end is not included: without one, all of this very moment is.
    to: typeof to === 'string' ? Date.parse(to) : now + 1,
    ...(typeof ownerId === 'number' && { ownerId }),
    ...(typeof keyId === 'number' && { keyId }),
    ...((mode === 'live' || mode === 'test') && { mode }),
  };
}

function wholePeriodOf(context: JobContext, now: number): Period {
  return { from: 0, ...periodOf(context, now) };
}

/** Copies the database beside it, and the copy to where files are kept. */
async function backup(
  { id, signal, tell, keepFile }: JobContext,
  { databaseUrl }: Pick<JobWorkParts, 'databaseUrl'>,
): Promise<Result> {
  const { file, entries } = await backupBeside(databaseUrl, { name: String(id), signal, tell });
  try {
    await keepFile(`gateway-${id}.db`, 'application/vnd.sqlite3', createReadStream(file));
    return { ok: null, found: null, examples: [], rows: entries };
  } finally {
    await removeCopy(file);
  }
}
