/**
 * The worker of one process: runs lines of batches when there is room for them, reads inputs, ends what was cancelled or has expired, writes
 * results. Everything is claimed in the database, so that several processes share the work and none is needed.
 */
import { randomUUID } from 'node:crypto';
import { GatewayError, type ErrorCode } from '@model-gateway/contracts';
import { offersThatServe, rowNamed } from '../catalogue.ts';
import type { BatchRecord, ClaimedLine, EndedLine, LineFault, NewLine } from '../ports.ts';
import { CLAIM_MS, ClaimedWork, drain } from '../tasks/work-loop.ts';
import { LineRunner, nextTurn } from './line-runner.ts';
import { VendorBatchWorker } from './vendor-batches.ts';
import type { BatchParts, BatchSettings } from './types.ts';

const LONGEST_PAUSE_MS = 1_000;
/** How long lines of a model without room are not looked at. */
const NO_ROOM_MS = 1_000;
/** Bodies of lines that run at once, bytes. */
const BODY_BYTES = 32 * 1024 * 1024;
/** One tenant may have half of the places. */
const TENANT_SHARE = 2;
const BATCHES_AT_ONCE = 4;
const ENDED_AT_ONCE = 200;
/** Lines of a result file that are read together. */
const PAGE = { limit: 100, bytes: 1024 * 1024 };
/** Lines that are written together, and their bytes. */
const PART_LINES = 200;
const PART_BYTES = 256 * 1024;
/** What is wrong with a whole input rather than with the reading, by the error that says so. */
const INPUT_FAULTS: Readonly<Partial<Record<ErrorCode, Partial<LineFault>>>> = {
  not_found: { code: 'invalid_input_file', message: 'the input file is not there any more' },
  rate_limited: {},
};
/** Faults of an input that are told. */
const MOST_FAULTS = 100;

interface RunningLine {
  readonly batch: BatchRecord;
  readonly line: ClaimedLine;
  readonly mayBeHanded: boolean;
  readonly controller: AbortController;
}

export class BatchWorker {
  private readonly parts: BatchParts;
  private readonly claimant: string;
  private readonly runner: LineRunner;
  private readonly work: ClaimedWork;
  private readonly lines = new Map<string, RunningLine>();
  private readonly batches = new Set<string>();
  private readonly vendors: VendorBatchWorker;
  /** Models without room, and until when they are not looked at. */
  private readonly full = new Map<string, number>();

  constructor(parts: BatchParts) {
    this.parts = parts;
    this.claimant = `${parts.process} ${randomUUID()}`;
    this.runner = new LineRunner(parts, this.claimant);
    this.vendors = new VendorBatchWorker(parts, this.claimant, (work) => this.work.begin(work));
    this.work = new ClaimedWork({
      round: () => this.runRound(),
      renew: () => this.renew(),
      renewalFailed: (error) => parts.log.warn({ err: error }, 'claims of batches could not be renewed'),
      abort: () => {
        for (const { controller } of this.lines.values()) controller.abort();
      },
      pause: parts.pause,
    });
  }

  /** There is something new to do. */
  wake(): void {
    this.work.wake();
  }

  /** Does what is due until nothing is; tests. */
  async workAll(): Promise<void> {
    await drain(() => this.claim(), this.work.running);
  }

  /** Keeps the claims of what is worked on; runs by itself every five seconds. */
  async renew(): Promise<void> {
    const { store, now } = this.parts;
    const until = now() + CLAIM_MS;
    for (const id of this.batches) await store.batches.renewBatch(id, this.claimant, until);
    await this.vendors.renew(until);
    const lines = [...this.lines.values()].map(({ line }) => line);
    if (lines.length === 0) return;
    const held = await store.batches.renewLines(lines, this.claimant, until);
    for (const { batchId, number } of lines) {
      const name = `${batchId} ${number}`;
      if (!held.has(name)) this.lines.get(name)?.controller.abort();
    }
  }

  start(): void {
    this.work.start();
  }

  /** Waits for what is under way, for ten seconds at most. */
  stop(): Promise<void> {
    return this.work.stop();
  }

  private async runRound(): Promise<number> {
    const { log } = this.parts;
    try {
      return (await this.claim()) > 0 ? 0 : LONGEST_PAUSE_MS;
    } catch (error) {
      log.warn({ err: error }, 'batches could not be read');
      return LONGEST_PAUSE_MS;
    }
  }

  private async claim(): Promise<number> {
    if (this.work.isStopping) return 0;
    const begun = (await this.claimBatches()) + (await this.claimLines());
    return begun + (await this.vendors.claim(begun === 0));
  }

  private async claimLines(): Promise<number> {
    const { store, now, settings } = this.parts;
    const limit = settings.concurrency - this.lines.size;
    // A look costs the database more than a line does: there are places for several by then.
    if (limit < Math.min(settings.concurrency, 1 + settings.concurrency / 4)) return 0;
    const held = [...this.lines.values()];
    const bytes =
      BODY_BYTES - held.reduce((sum, { line: { body, answer } }) => sum + body.length + (answer?.body.length ?? 0), 0);
    if (bytes <= 0) return 0;
    for (const [model, until] of this.full) if (until <= now()) this.full.delete(model);
    const claimed = await store.batches.claimLines({
      ...{ by: this.claimant, now: now(), until: now() + CLAIM_MS, limit, bytes },
      perTenant: Math.max(1, Math.ceil(settings.concurrency / TENANT_SHARE)),
      running: held.map(({ batch }) => batch),
      exceptModels: [...this.full.keys()],
    });
    let begun = 0;
    for (const { batch, ...line } of claimed) {
      const name = `${line.batchId} ${line.number}`;
      // After a jump of the clock it may be this process's own.
      if (this.lines.has(name)) continue;
      const mayBeHanded = this.vendors.mayTake(batch, line);
      if (line.submitted || (mayBeHanded && !line.isAlone) || this.hasRoom(batch, line)) {
        begun++;
        this.work.begin(this.runLine(name, { batch, line, mayBeHanded, controller: new AbortController() }));
      } else {
        this.full.set(line.model, now() + NO_ROOM_MS);
        const again = { dueAt: now() + NO_ROOM_MS, counts: false };
        await store.batches.putBack(line, this.claimant, again, now());
      }
    }
    return begun;
  }

  private async runLine(name: string, running: RunningLine): Promise<void> {
    this.lines.set(name, running);
    const { batch, line, mayBeHanded, controller } = running;
    const hasCompany = (): boolean =>
      [...this.lines.values()].some(
        (other) => other !== running && other.batch.ownerId === batch.ownerId && other.batch.mode === batch.mode,
      );
    try {
      await this.runner.run({ batch, line, mayBeHanded, signal: controller.signal, hasCompany });
    } finally {
      this.lines.delete(name);
    }
  }

  /** Whether an account of the model's is idle enough. What nobody serves is refused when it runs. */
  private hasRoom({ mode }: BatchRecord, { model }: ClaimedLine): boolean {
    const { catalogue, router } = this.parts;
    const row = rowNamed(catalogue(), model);
    const offers = row === undefined ? [] : offersThatServe(catalogue(), row, mode);
    let own = 0;
    for (const { line } of this.lines.values()) if (line.model === model) own++;
    return offers.length === 0 || offers.some((offer) => router.isIdle(offer, own));
  }

  private async claimBatches(): Promise<number> {
    const { store, now } = this.parts;
    const limit = BATCHES_AT_ONCE - this.batches.size;
    if (limit <= 0) return 0;
    const claimed = await store.batches.claimBatches({ by: this.claimant, now: now(), until: now() + CLAIM_MS, limit });
    for (const batch of claimed) {
      if (this.batches.has(batch.id)) continue;
      this.work.begin(this.workOn(batch));
    }
    return claimed.length;
  }

  private async workOn(batch: BatchRecord): Promise<void> {
    const { store, now, log } = this.parts;
    const { id } = batch;
    this.batches.add(id);
    try {
      if (batch.status === 'validating') await this.readInput(batch);
      else if (batch.status === 'finalizing') await this.writeResults(batch);
      else await this.endLines(batch);
    } catch (error) {
      log.warn({ err: error, batch: id }, 'a batch could not be worked on; it is tried again');
      await store.batches
        .leaveBatch(id, this.claimant, now() + CLAIM_MS)
        .catch((again: unknown) => log.warn({ err: again, batch: id }, 'a batch could not be put back'));
    } finally {
      this.batches.delete(id);
    }
  }

  private async readInput(batch: BatchRecord): Promise<void> {
    const { store, now, forms, files, step, settings } = this.parts;
    const { readLines } = forms[batch.format];
    if (files === undefined || readLines === undefined || batch.inputFileId === undefined)
      throw new Error(`the batch ${batch.id} has no input that could be read`);
    const faults: LineFault[] = [];
    try {
      const read = readLines(batch, await files.read(batch, batch.inputFileId));
      for await (const lines of inParts(this.linesOf(read, faults))) {
        checkRoom(await store.batches.load(batch), lines, settings);
        await store.batches.addLines(batch.id, lines);
        await nextTurn();
        step?.('batch.read');
      }
    } catch (error) {
      if (!(error instanceof GatewayError) || !(error.code in INPUT_FAULTS)) throw error;
      faults.push({ code: error.code, message: error.message, ...INPUT_FAULTS[error.code] });
    }
    if (faults.length > 0) await store.batches.refuse(batch.id, this.claimant, faults, now());
    else if (!(await store.batches.open(batch.id, now(), this.claimant))) {
      const found = await store.batches.find(batch, batch.format, batch.id);
      // Otherwise somebody else has read it.
      if (found?.status === 'cancelled') await store.batches.removeLines(batch.id);
    }
  }

  /** The lines as long as nothing is wrong with one; faults are collected. */
  private async *linesOf(read: AsyncIterable<NewLine | LineFault>, faults: LineFault[]): AsyncGenerator<NewLine> {
    for await (const each of read) {
      if (!('customId' in each)) faults.push(each);
      else if (faults.length === 0) yield each;
      if (faults.length >= MOST_FAULTS) return;
    }
  }

  /** Ends what waits of a batch that was cancelled or has expired; the last line that still runs ends the batch. */
  private async endLines({ id }: BatchRecord): Promise<void> {
    const { store, now } = this.parts;
    while ((await store.batches.endWaiting(id, ENDED_AT_ONCE, now())) >= ENDED_AT_ONCE) await nextTurn();
    await store.batches.leaveBatch(id, this.claimant, now() + CLAIM_MS);
  }

  private async writeResults(batch: BatchRecord): Promise<void> {
    const { store, now, files, step } = this.parts;
    if (files === undefined) throw new Error(`the results of batch ${batch.id} cannot be written`);
    const { succeeded, errored, cancelled, expired } = batch.counts;
    const written: string[] = [];
    const write = async (name: 'output' | 'errors', count: number): Promise<string | undefined> => {
      if (count === 0) return undefined;
      const id = await files.write(batch, name, this.resultBytes(batch, name));
      written.push(id);
      return id;
    };
    let isFinished = false;
    try {
      const outputFileId = await write('output', succeeded);
      step?.('batch.output.written');
      const errorFileId = await write('errors', errored + cancelled + expired);
      step?.('batch.errors.written');
      isFinished = await store.batches.finishBatch(
        batch.id,
        this.claimant,
        { ...(outputFileId !== undefined && { outputFileId }), ...(errorFileId !== undefined && { errorFileId }) },
        now(),
      );
    } finally {
      // They take room of the owner's, and no batch names them; somebody else writes them, or the next try does.
      if (!isFinished) for (const id of written) await files.remove(batch, id);
    }
    step?.('batch.finished');
    if (isFinished) await store.batches.removeLines(batch.id);
  }

  private async *resultBytes(batch: BatchRecord, name: 'output' | 'errors'): AsyncGenerator<Uint8Array> {
    const { resultLine } = this.parts.forms[batch.format];
    for await (const line of endedLines(this.parts, batch))
      if ((line.state === 'succeeded') === (name === 'output')) yield Buffer.from(`${resultLine(batch, line)}\n`);
  }
}

/** The lines of a batch that have ended, in their order, some at a time. */
export async function* endedLines(
  { store }: Pick<BatchParts, 'store'>,
  { id }: Pick<BatchRecord, 'id'>,
): AsyncGenerator<EndedLine> {
  let after = -1;
  for (;;) {
    const lines = await store.batches.ended(id, { after, ...PAGE });
    if (lines.length === 0) return;
    yield* lines;
    await nextTurn();
    after = lines.at(-1)?.number ?? after;
  }
}

/** Lines in parts that are written together. */
export async function* inParts(lines: AsyncIterable<NewLine> | Iterable<NewLine>): AsyncGenerator<readonly NewLine[]> {
  let part: NewLine[] = [];
  let bytes = 0;
  for await (const line of lines) {
    part.push(line);
    bytes += line.body.length;
    if (part.length < PART_LINES && bytes < PART_BYTES) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}

/** Throws `rate_limited` where a tenant's batches hold so much that these lines have no room. */
export function checkRoom(
  load: { readonly lines: number; readonly bytes: number },
  more: readonly NewLine[],
  { mostWaiting, mostBytes }: BatchSettings,
): void {
  if (load.lines + Math.max(1, more.length) > mostWaiting)
    throw new GatewayError(
      'rate_limited',
      `${load.lines} requests of your batches are waiting, and at most ${mostWaiting} may; create the batch again when some of them have run`,
    );
  if (load.bytes + more.reduce((sum, { body }) => sum + body.length, 0) > mostBytes)
    throw new GatewayError(
      'rate_limited',
      `your batches use ${load.bytes} bytes, and at most ${mostBytes} are kept; delete batches that have ended`,
    );
}
