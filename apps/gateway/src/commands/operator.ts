/** Operators' commands call admin operations by their ids: of a gateway elsewhere, or in this process on the database of this machine. */
import type { OperationId, QueryOf, ReplyOf } from '@model-gateway/client';
import type { CallOperation, Downloads } from './call-operation.ts';
import type { OperatorOptions } from './command-options.ts';
import { sayTo, table, type Say } from './output.ts';
import { operatorTarget } from './target.ts';
import { note, type Terminal } from './terminal.ts';

/** Undefined members stand for absent ones. */
type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The operations that answer pages. */
type Paged = {
  [Id in OperationId]: ReplyOf<Id> extends { data: unknown[]; next_after: unknown } ? Id : never;
}[OperationId];
type RowOf<Id extends Paged> = ReplyOf<Id> extends { data: (infer Row)[] } ? Row : never;

/** What such a command works with. */
export interface Work {
  /** Whether it works on the database of this machine. */
  readonly isLocal: boolean;
  /** Programs read what it says: nothing is needed that only tables show. */
  readonly isJson: boolean;
  readonly call: CallOperation;
  readonly downloads: Downloads;
  /** The first `most` rows of a list. */
  readonly list: <Id extends Paged>(id: Id, query?: Loose<QueryOf<Id>>, most?: number) => Promise<RowOf<Id>[]>;
  readonly say: Say;
  /** Prints rows as a table, or the sentence where there are none. */
  readonly sayTable: <Row>(
    rows: readonly Row[],
    ifEmpty: string,
    headings: readonly string[],
    cellsOf: (row: Row) => readonly string[],
  ) => void;
  readonly now: () => number;
  /** Sets how the process will end. */
  readonly exitWith: (code: number) => void;
}

const PAGE = 500;

/** Opens the database or the gateway, does the work, and closes what was opened. Rejects with what went wrong. */
export async function withOperator(
  terminal: Terminal,
  options: OperatorOptions,
  work: (work: Work) => Promise<void>,
): Promise<void> {
  const { env, now, stderr } = terminal;
  const target = operatorTarget(env, options);
  if (target === undefined) {
    const { openLocalGateway } = await import('./operator-local.ts');
    await using local = await openLocalGateway(env, now);
    await work(workOf(terminal, options, { call: local.call, downloads: local.downloads, isLocal: true }));
    return;
  }
  // Whoever has a profile in use should see whose keys are listed.
  if (stderr.isTTY && options.url === undefined) note(terminal, `On ${target.where}`);
  const { callOf, downloadsOf, faultOfCall } = await import('./remote-call.ts');
  await work(workOf(terminal, options, { call: callOf(target), downloads: downloadsOf(target), isLocal: false })).catch(
    (error: unknown) => {
      throw faultOfCall(error, target);
    },
  );
}

function workOf(
  terminal: Terminal,
  options: OperatorOptions,
  { call, downloads, isLocal }: Pick<Work, 'call' | 'downloads' | 'isLocal'>,
): Work {
  const say = sayTo(terminal, options);
  return {
    ...{ call, downloads, isLocal, say, isJson: options.json === true },
    ...{ now: terminal.now, exitWith: terminal.exitWith },
    async list<Id extends Paged>(id: Id, query: Loose<QueryOf<Id>> = {}, most = Infinity) {
      const rows: RowOf<Id>[] = [];
      for (let after: string | number | null | undefined; after !== null && rows.length < most;) {
        const page = { ...query, after, limit: Math.min(PAGE, most - rows.length) } as Loose<QueryOf<Id>>;
        const reply = (await call(id, { query: page })) as { data: RowOf<Id>[]; next_after: string | number | null };
        rows.push(...reply.data);
        after = reply.next_after;
      }
      return rows;
    },
    sayTable: (rows, ifEmpty, headings, cellsOf) =>
      say(rows, (paint) => (rows.length === 0 ? ifEmpty : table(headings, rows.map(cellsOf), paint))),
  };
}
