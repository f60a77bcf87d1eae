/** Batches of the vendors that have them: lines are asked of the vendor itself, one after another, as time passes. */
import { perStage, type Stage } from './stage.ts';

const DAY_MS = 24 * 3_600_000;

export interface BatchLine {
  readonly id: string;
  /** Below the vendor's mount. */
  readonly path: string;
  readonly body: unknown;
}

export interface LineOutcome {
  readonly status: number;
  readonly body: unknown;
}

export type BatchEnd = 'completed' | 'expired' | 'cancelled' | 'failed';

export interface TwinBatch {
  readonly id: string;
  readonly vendor: string;
  readonly createdAt: number;
  readonly lines: readonly BatchLine[];
  /** Credentials and versions that its lines are asked with. */
  readonly headers: Readonly<Record<string, string>>;
  /** The vendor's own. */
  readonly details: Readonly<Record<string, unknown>>;
  cancelledAt?: number;
  /** Why nothing of it was begun. */
  readonly fault?: string;
  readonly outcomes: LineOutcome[];
  /** Lines that are being answered: whoever looks meanwhile waits. */
  answering?: Promise<void>;
  removed?: boolean;
  /** Its files of results by what they are: made once, when it has ended; what is removed of them stays away. */
  results?: Readonly<Partial<Record<'output' | 'errors', string>>>;
}

export interface TwinFile {
  readonly id: string;
  readonly name: string;
  readonly vendor: string;
  readonly createdAt: number;
  readonly purpose: string;
  readonly bytes: Buffer;
}

const kept = perStage(() => ({ batches: [] as TwinBatch[], files: new Map<string, TwinFile>() }));

export function filesOf(stage: Stage): Map<string, TwinFile> {
  return kept(stage).files;
}

/** The first id under these names, anywhere in a body, that the vendor has no file for. */
export function missingFile(stage: Stage, body: unknown, names: readonly string[]): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  for (const [name, value] of Object.entries(body)) {
    const isMissing = typeof value === 'string' && names.includes(name) && !filesOf(stage).has(value);
    const missing = isMissing ? value : missingFile(stage, value, names);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** Those of a vendor, newest first. */
export function batchesOf(stage: Stage, vendor: string): readonly TwinBatch[] {
  return kept(stage)
    .batches.filter((batch) => batch.vendor === vendor && batch.removed !== true)
    .toReversed();
}

export function addBatch(stage: Stage, batch: Omit<TwinBatch, 'createdAt' | 'outcomes'>): TwinBatch {
  const added: TwinBatch = { ...batch, createdAt: stage.now(), outcomes: [] };
  kept(stage).batches.push(added);
  return added;
}

/** How it has ended; undefined while it runs. Lines are answered evenly over the time that it takes; what is left after a day expires. */
export function endOf(stage: Stage, { createdAt, cancelledAt, fault }: TwinBatch): BatchEnd | undefined {
  if (fault !== undefined) return 'failed';
  if (cancelledAt !== undefined) return 'cancelled';
  if (stage.now() >= createdAt + stage.seconds.batch * 1000) return 'completed';
  return stage.now() >= createdAt + DAY_MS ? 'expired' : undefined;
}

/** Answers as many lines as the time allows that has passed, and gives the outcomes of all that were answered. */
export async function answerLines(stage: Stage, batch: TwinBatch): Promise<readonly LineOutcome[]> {
  const end = endOf(stage, batch);
  const until = Math.min(batch.cancelledAt ?? Infinity, batch.createdAt + DAY_MS, stage.now());
  const takes = stage.seconds.batch * 1000;
  const share = takes === 0 ? 1 : Math.min(1, (until - batch.createdAt) / takes);
  const count =
    end === 'failed' ? 0 : end === 'completed' ? batch.lines.length : Math.floor(batch.lines.length * share);
  const before = batch.answering;
  batch.answering = (async () => {
    await before;
    for (const line of batch.lines.slice(batch.outcomes.length, count))
      batch.outcomes.push(await ask(stage, batch, line));
  })();
  await batch.answering;
  return batch.outcomes;
}

async function ask(stage: Stage, { vendor, headers }: TwinBatch, { path, body }: BatchLine): Promise<LineOutcome> {
  try {
    // oxlint-disable-next-line no-restricted-globals -- the twin asks itself
    const reply = await fetch(`${stage.url}/${vendor}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: reply.status, body: await reply.json() };
  } catch {
    return { status: 500, body: { error: { message: 'The line was lost.' } } };
  }
}

/** Lines of JSON; undefined for one that is none. */
export function jsonLines(bytes: Buffer): readonly unknown[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        return undefined;
      }
    });
}
