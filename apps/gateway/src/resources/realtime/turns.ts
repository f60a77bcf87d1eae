/** The turns of a realtime session: each is a request of its own to the app, from the money that is set aside to its row in the log. */
import type { IncomingMessage } from 'node:http';
import { GatewayError, OPERATIONS, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Offer, RealtimeLine, TurnEnd, TurnOutlook } from '@model-gateway/core';
import { errorIn } from '../../http/app-within.ts';
import type { OpenSocket } from '../../http/upgrades.ts';

/** What the app says against a turn. */
export interface TurnRefusal {
  readonly status: number;
  readonly error: JsonObject;
}

/** What a turn is for. */
export interface TurnOrder {
  /** As the catalogue calls it; its key must be allowed to use it. */
  readonly model: string;
  readonly offer: Offer;
  /** A transcript of so many seconds; absent: a response. */
  readonly transcribes?: number;
  readonly outlook: TurnOutlook;
  readonly soFar: () => Usage | undefined;
}

/** One turn on its way through the app. */
export class RealtimeTurn {
  readonly order: TurnOrder;
  /** Resolves when it may begin, or with what is said against it. */
  readonly admitted: Promise<TurnRefusal | undefined>;
  readonly ended: Promise<TurnEnd>;
  firstByteAt: number | undefined;
  readonly openedAt: number;
  /** An event of the client's asked for it. */
  isClaimed = false;
  isAdmitted = false;
  #end: (end: TurnEnd) => void = () => undefined;
  #admit: (refusal: TurnRefusal | undefined) => void = () => undefined;

  constructor(order: TurnOrder, ask: OpenSocket['ask'], now: number, path: string = OPERATIONS.connectRealtime.path) {
    this.order = order;
    this.openedAt = now;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.admitted = new Promise((resolve) => (this.#admit = resolve));
    this.#run(ask, path).then(
      (refusal) => this.#admit(refusal),
      (error: unknown) => this.#admit(refusalOf(error)),
    );
  }

  /** Money is set aside. */
  readonly begun = (): void => {
    this.isAdmitted = true;
    this.#admit(undefined);
  };

  /** Once; what is told later is not heard. */
  end(end: TurnEnd): void {
    this.#end(end);
  }

  async #run(ask: OpenSocket['ask'], at: string): Promise<TurnRefusal | undefined> {
    const { model, transcribes } = this.order;
    const query = new URLSearchParams({ model, ...(transcribes !== undefined && { intent: 'transcription' }) });
    const path = withQuery(at, query);
    // It is never cut: what it cost is charged at its end, whoever has left.
    const answer = await ask({ path, context: this, signal: new AbortController().signal });
    if (answer.statusCode === 200) {
      answer.resume();
      return undefined;
    }
    return refusalIn(answer);
  }
}

/** A vendor's line that an open session asks for, because its model was not known before. */
export class LineRequest {
  /** Set when it is there; whoever asked closes it. */
  line: RealtimeLine | undefined;

  /** Asks the app for it, as a request of its own to the address that opened the session. */
  async open(ask: OpenSocket['ask'], path: string): Promise<RealtimeLine | TurnRefusal> {
    try {
      const answer = await ask({ path, context: this, signal: new AbortController().signal });
      if (answer.statusCode !== 200 || this.line === undefined) return await refusalIn(answer);
      answer.resume();
      return this.line;
    } catch (error) {
      return refusalOf(error);
    }
  }
}

/** An address with more in its query. */
export function withQuery(path: string, query: URLSearchParams): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** What the app refused. */
async function refusalIn(answer: IncomingMessage): Promise<TurnRefusal> {
  return { status: answer.statusCode ?? 500, error: await errorIn(answer) };
}

function refusalOf(error: unknown): TurnRefusal {
  const known = error instanceof GatewayError ? error : new GatewayError('unavailable', 'the turn could not begin');
  const { code, message } = known;
  return {
    status: known.status(false),
    error: { code, message, type: 'server_error', param: null },
  };
}
