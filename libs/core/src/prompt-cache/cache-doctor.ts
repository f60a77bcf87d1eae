/** Examines chat requests that have ended: what each read from its vendor's prompt cache, what it could have read, and why it did not. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CacheDay, CacheTurn, RequestLogStore, RequestRow } from '../ports.ts';
import { diagnose, earlierOf, knownTurn, type ExaminedRow, type KnownTurn } from './cache-diagnosis.ts';

const DAY_MS = 86_400_000;
/** The longest time after which a turn is compared with the one before. */
const COMPARED_MS = 3 * 3_600_000;
/** Turns that a process remembers: of one key, and of all. Each takes about two kilobytes. */
const MOST_OF_KEY = 64;
const MOST_TURNS = 8_000;
/** Turns of other processes that are read for one request. */
const READ_OF_KEY = 32;
/** Rows between which others may work. */
const ROWS_AT_ONCE = 10;
/** Reads of one write: other requests of these keys are compared with what is known. */
const MOST_READS = 8;

export interface Examined {
  readonly turns: readonly CacheTurn[];
  readonly days: readonly CacheDay[];
}

export class CacheDoctor {
  private readonly store: Pick<RequestLogStore, 'cacheTurns'>;
  /** By key; oldest first. */
  private readonly known = new Map<number, readonly KnownTurn[]>();
  private turnsKnown = 0;

  constructor(store: Pick<RequestLogStore, 'cacheTurns'>) {
    this.store = store;
  }

  /** What some rows read and lost, in the order in which they came. */
  async examine(rows: readonly RequestRow[]): Promise<Examined | undefined> {
    const prompts = rows.filter(hasPrompt);
    if (prompts.length === 0) return undefined;
    let reads = 0;
    const turns: CacheTurn[] = [];
    for (const row of prompts.toSorted((a, b) => a.at - b.at)) {
      if (turns.length % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await nextTurn();
      const known = this.known.get(row.keyId) ?? [];
      let earlier = earlierOf(row, known);
      // A conversation that goes on, begun where another process has answered it, or before this one started.
      if (earlier?.isSameConversation !== true && isLaterTurn(row) && reads < MOST_READS) {
        reads++;
        const range = { keyId: row.keyId, from: row.at - COMPARED_MS, to: row.at, limit: READ_OF_KEY };
        earlier = earlierOf(row, [...(await this.store.cacheTurns(range)).map(knownTurn), ...known]);
      }
      const turn = diagnose(row, earlier);
      const goesOn = earlier?.isSameConversation === true && earlier.turn.upstreamModel === turn.upstreamModel;
      this.remember(turn, goesOn ? earlier?.turn.id : undefined);
      turns.push(turn);
    }
    return { turns, days: daysOf(turns) };
  }

  /** The newest turn takes the place of the one that its conversation goes on from. */
  private remember(turn: CacheTurn, replaced: string | undefined): void {
    const turns = (this.forget(turn.keyId) ?? []).filter((each) => each.turn.id !== replaced);
    const kept = [...turns, knownTurn(turn)].slice(-MOST_OF_KEY);
    // Keys that were used last come last.
    this.known.set(turn.keyId, kept);
    this.turnsKnown += kept.length;
    for (const oldest of this.known.keys()) {
      if (this.turnsKnown <= MOST_TURNS) return;
      this.forget(oldest);
    }
  }

  private forget(keyId: number): readonly KnownTurn[] | undefined {
    const turns = this.known.get(keyId);
    this.known.delete(keyId);
    this.turnsKnown -= turns?.length ?? 0;
    return turns;
  }
}

function hasPrompt(row: RequestRow): row is ExaminedRow {
  return row.prompt !== undefined;
}

/** More than one message: somebody has answered before. */
function isLaterTurn({ prompt }: ExaminedRow): boolean {
  return prompt.chain.blocks.filter(({ kind }) => kind === 'messages').length > 2;
}

function daysOf(turns: readonly CacheTurn[]): readonly CacheDay[] {
  const days = new Map<string, CacheDay>();
  for (const turn of turns) {
    const { ownerId, mode, keyId, model, cause = '' } = turn;
    const day = Math.floor(turn.at / DAY_MS);
    const place = `${day} ${keyId} ${cause} ${model}`;
    const sums = days.get(place) ?? {
      ...{ day, ownerId, mode, keyId, model, cause, requests: 0, inputTokens: 0 },
      ...{ readTokens: 0, lostTokens: 0, lostUnits: 0, charged: 0 },
    };
    days.set(place, {
      ...sums,
      requests: sums.requests + 1,
      inputTokens: sums.inputTokens + turn.inputTokens,
      readTokens: sums.readTokens + turn.readTokens,
      lostTokens: sums.lostTokens + turn.lostTokens,
      lostUnits: sums.lostUnits + turn.lostUnits,
      charged: sums.charged + turn.charged,
    });
  }
  return [...days.values()];
}
