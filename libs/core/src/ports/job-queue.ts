/** The queues of jobs that wait for room at their vendor accounts (docs/decisions/0018-a-queue-for-jobs.md). Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';
import type { TaskPatch, TaskRecord } from './tasks.ts';

/** Tasks of one owner that wait for one account. */
export interface WaitingOwner {
  readonly ownerId: number;
  /** Jobs in a turn. */
  readonly weight: number;
  readonly count: number;
}

/** Whose turn it is, and how many more jobs belong to it. */
export interface Turn {
  readonly ownerId: number;
  readonly left: number;
}

/** Pure: whose tasks come next, and whose turn it is then. */
export type ChooseTurns = (
  turn: Turn | undefined,
  waiting: readonly WaitingOwner[],
  room: number,
) => { readonly turn: Turn | undefined; readonly owners: readonly number[] };

export interface PickedJob {
  readonly task: TaskRecord;
  readonly input: JsonObject;
}

export interface JobQueueStore {
  /** Accounts for which tasks wait. */
  accounts(): Promise<readonly number[]>;
  /**
   * One transaction: as many tasks as the account has room for leave its queue, within an owner by priority and then by age. From then on they
   * count as jobs of the account; `nextCheckAt` is when they fall due should nobody submit them.
   */
  pick(asked: {
    readonly accountId: number;
    readonly maxJobs: number | undefined;
    /** At most so many. */
    readonly limit: number;
    readonly nextCheckAt: number;
    readonly now: number;
    readonly choose: ChooseTurns;
  }): Promise<readonly PickedJob[]>;
  /**
   * Puts a task that nobody was asked for back at its place, or, with `to`, into the queue of another account; one that waits goes on waiting.
   * False when somebody else has it (`turn` is not its last one), it was submitted, it has ended or never waited, or its time in the queue is over.
   */
  putBack(
    id: string,
    turn: number,
    now: number,
    to?: Required<Pick<TaskPatch, 'accountId' | 'accountName' | 'vendor' | 'upstreamModel'>>,
  ): Promise<boolean>;
  /** Who waits for an account, and whose turn it is. */
  look(accountId: number): Promise<{ readonly turn: Turn | undefined; readonly waiting: readonly WaitingOwner[] }>;
  /** The first tasks of an owner that wait for an account, in their order. */
  waitingOf(accountId: number, ownerId: number, limit: number): Promise<readonly string[]>;
}
