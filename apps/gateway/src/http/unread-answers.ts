/** Large answers that wait in memory for their readers. They are paid for, so none is refused: where others wait for their room, readers who take next to nothing are hung up on. */
import type { Response } from 'express';

/** Nobody is slow before this. */
const GRACE_MS = 5_000;
/** 16 KB a second. */
const LEAST_BYTES_PER_MS = 16;
const LOOK_MS = 1_000;

/** One answer on its way. */
export interface UnreadAnswer {
  /** So many bytes more have been taken by the connection. */
  sent(bytes: number): void;
  /** It has been read, or nobody reads it any more. */
  end(): void;
}

interface Waiting extends UnreadAnswer {
  readonly since: number;
  taken: number;
  readonly response: Pick<Response, 'destroy'>;
}

export interface UnreadAnswersOptions {
  readonly now: () => number;
  /** Whether others wait for the room that unread answers take. */
  readonly isRoomWanted: () => boolean;
}

/** The large answers of one process. */
export class UnreadAnswers {
  private readonly options: UnreadAnswersOptions;
  private readonly waiting = new Set<Waiting>();
  private looking: NodeJS.Timeout | undefined;

  constructor(options: UnreadAnswersOptions) {
    this.options = options;
  }

  /** Watches an answer until it has been read. */
  begin(response: Pick<Response, 'destroy'>): UnreadAnswer {
    const answer: Waiting = {
      since: this.options.now(),
      taken: 0,
      response,
      sent: (bytes) => {
        answer.taken += bytes;
      },
      end: () => {
        this.waiting.delete(answer);
        if (this.waiting.size > 0) return;
        clearInterval(this.looking);
        this.looking = undefined;
      },
    };
    this.waiting.add(answer);
    this.looking ??= setInterval(() => this.look(), LOOK_MS).unref();
    return answer;
  }

  /** Hangs up on those who take next to nothing, where others wait. */
  look(): void {
    if (!this.options.isRoomWanted()) return;
    const now = this.options.now();
    for (const answer of [...this.waiting]) {
      const ms = now - answer.since;
      if (ms < GRACE_MS || answer.taken >= ms * LEAST_BYTES_PER_MS) continue;
      answer.response.destroy();
      answer.end();
    }
  }
}
