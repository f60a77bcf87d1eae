/** The turns of a realtime session: each is a request of its own to the app, from the money that is set aside to its row in the log. */
import type { IncomingMessage } from 'node:http';
import { GatewayError, OPERATIONS, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Offer, RealtimeLine, TurnEnd, TurnOutlook } from '@model-gateway/core';
import { realtimeEvents, type SessionView } from '@model-gateway/translate';
import { errorIn } from '../../http/app-within.ts';
import type { OpenSocket } from '../../http/upgrades.ts';
import { addSaid, addUnread, newSaid, SessionAccount, type Said } from './account.ts';

/** Of what a client says in a session. */
export const LARGEST_FRAME = 16 * 1024 * 1024;
/** Money that is set aside for speech that nobody answers goes back. */
export const LONGEST_UNANSWERED_MS = 60_000;

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

/** A response that is under way. */
interface Active {
  readonly turn: RealtimeTurn;
  readonly said: Said;
}

export interface SessionTurnParts {
  readonly ask: OpenSocket['ask'];
  readonly now: () => number;
  readonly view: () => SessionView;
}

/** The turns of one session in OpenAI's events: those that wait for a response, and those of responses that are under way. */
export class SessionTurns {
  readonly account = new SessionAccount();
  readonly #parts: SessionTurnParts;
  /** Turns for which money is set aside, or will be, and that no response has begun for; oldest first. */
  readonly #waiting: RealtimeTurn[] = [];
  /** By the id of their response. */
  readonly #active = new Map<string, Active>();
  /** By the id of the event that asked for them. */
  readonly #claims = new Map<string, RealtimeTurn>();

  constructor(parts: SessionTurnParts) {
    this.#parts = parts;
  }

  /** Whether a response is under way. */
  get isActive(): boolean {
    return this.#active.size > 0;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether a response is under way, or was asked for and has not begun. */
  get isOwed(): boolean {
    return this.isActive || this.#waiting.some(({ isClaimed }) => isClaimed);
  }

  /** A turn that is for no response of the session's. */
  apart(order: Omit<TurnOrder, 'outlook'>): RealtimeTurn {
    const outlook = this.account.outlook(this.#parts.view());
    return new RealtimeTurn({ ...order, outlook }, this.#parts.ask, this.#parts.now());
  }

  /** A turn that waits for a response. */
  open(order: Pick<TurnOrder, 'model' | 'offer'>): RealtimeTurn {
    const turn = this.#responseTurn(order);
    this.#waiting.push(turn);
    return turn;
  }

  /** The turn of a response that the client asks for: one that waits for any, or another. */
  claimed(order: Pick<TurnOrder, 'model' | 'offer'>): RealtimeTurn {
    const turn = this.#waiting.find(({ isClaimed }) => !isClaimed) ?? this.open(order);
    turn.isClaimed = true;
    return turn;
  }

  /** So that an error of the vendor's says which turn has not begun. */
  claim(eventId: string, turn: RealtimeTurn): void {
    this.#claims.set(eventId, turn);
  }

  /** The vendor refuses an event: no response begins for the turn that it asked for. */
  unclaim(eventId: string): void {
    const turn = this.#claims.get(eventId);
    if (turn === undefined) return;
    this.#claims.delete(eventId);
    this.drop(turn);
  }

  /** No response will begin for it. */
  drop(turn: RealtimeTurn): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    turn.end({ usage: undefined });
  }

  /** Drops those that no event has asked for, and that were opened up to this time. */
  dropUnclaimed(until = Infinity): void {
    for (const turn of [...this.#waiting]) if (!turn.isClaimed && turn.openedAt <= until) this.drop(turn);
  }

  /** A response has begun: for the turn that has waited longest, or for one that nobody has asked for. */
  begin(id: string, order: Pick<TurnOrder, 'model' | 'offer'>): RealtimeTurn {
    const turn = this.#waiting.shift() ?? this.#responseTurn(order);
    for (const [claim, claimed] of this.#claims) if (claimed === turn) this.#claims.delete(claim);
    this.#active.set(id, { turn, said: newSaid() });
    return turn;
  }

  /** What comes of a response is neither counted nor billed any more. */
  abandon(id: string): void {
    this.#active.delete(id);
  }

  /** Sound of a response, in an event that was not read. */
  heard(text: string): void {
    const [, id = ''] = RESPONSE_ID.exec(text.slice(0, 512)) ?? [];
    const active = this.#active.get(id);
    if (active === undefined) return;
    active.turn.firstByteAt ??= this.#parts.now();
    addUnread(active.said, text);
  }

  /** Something else of a response. */
  note(event: JsonObject): void {
    const { response_id: id } = event;
    const active = typeof id === 'string' ? this.#active.get(id) : undefined;
    if (active === undefined) return;
    active.turn.firstByteAt ??= this.#parts.now();
    addSaid(active.said, event);
  }

  /** A response is over, and billed by what the vendor says of it; whether it was one that is known. */
  done(response: JsonObject): boolean {
    const { id, status } = response;
    const active = typeof id === 'string' ? this.#active.get(id) : undefined;
    if (typeof id !== 'string' || active === undefined) return false;
    this.#active.delete(id);
    const reported = realtimeEvents.usageOfResponse(response);
    if (reported !== undefined) this.account.counted(reported);
    active.turn.end({
      usage: reported ?? (status === 'failed' ? undefined : this.#usedBy(active)),
      ...(status === 'failed' && { error: new GatewayError('upstream_unavailable', 'the vendor’s response failed') }),
    });
    return true;
  }

  /** The vendor has hung up: what was said is billed. */
  broken(error: GatewayError): void {
    for (const active of this.#active.values()) active.turn.end({ usage: this.#usedBy(active), error });
    for (const turn of this.#waiting) turn.end({ usage: undefined, error });
    this.#active.clear();
  }

  /** The client has gone: what was said is billed. */
  left(): void {
    for (const active of this.#active.values()) active.turn.end({ usage: this.#usedBy(active), isLeft: true });
    for (const turn of this.#waiting) turn.end({ usage: undefined, isLeft: true });
  }

  #responseTurn(order: Pick<TurnOrder, 'model' | 'offer'>): RealtimeTurn {
    const turn = this.apart({
      ...order,
      soFar: () => {
        const active = [...this.#active.values()].find((each) => each.turn === turn);
        return active === undefined ? undefined : this.#usedBy(active);
      },
    });
    return turn;
  }

  #usedBy({ said }: Active): Usage | undefined {
    return this.account.used(said, this.#parts.view());
  }
}

const RESPONSE_ID = /"response_id": ?"([^"]+)"/;

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
