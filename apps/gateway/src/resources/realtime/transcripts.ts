/** Transcripts of what a session's client says: each is paid apart, by the price of the model that writes it. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ModelRow, Offer } from '@model-gateway/core';
import { realtimeEvents } from '@model-gateway/translate';
import type { RealtimeTurn, TurnOrder, TurnRefusal } from './turns.ts';

/** A model that writes down what is heard, at the session's account. */
export interface Transcriber {
  readonly row: ModelRow;
  readonly offer: Offer;
}

/** Transcripts of one session that the vendor writes and nobody pays. */
const MOST_UNPAID = 3;

export interface TranscriptParts {
  readonly newTurn: (order: Omit<TurnOrder, 'outlook'>) => RealtimeTurn;
  /** Tells the client of an event that had to wait. */
  readonly tell: (event: JsonObject) => void;
  /** `isLast`: so many were refused that the session is to end. The vendor writes them all the same. */
  readonly refused: (refusal: TurnRefusal, isLast: boolean) => void;
}

export class Transcripts {
  /** Undefined: nothing is written down, or at nobody's cost. */
  transcriber: Transcriber | undefined;
  readonly #parts: TranscriptParts;
  /** Those on their way, by their item. */
  readonly #turns = new Map<string, RealtimeTurn>();
  /** Items whose transcripts nobody pays. */
  readonly #unpaid = new Set<string>();

  constructor(parts: TranscriptParts) {
    this.#parts = parts;
  }

  /** So much sound will be written down. */
  committed({ item_id: item }: JsonObject, seconds: number): void {
    if (this.transcriber === undefined || typeof item !== 'string') return;
    const { row, offer } = this.transcriber;
    const turn = this.#parts.newTurn({ model: row.code, offer, transcribes: seconds, soFar: () => undefined });
    this.#turns.set(item, turn);
    void turn.admitted.then((refusal) => {
      if (refusal === undefined) return;
      this.#turns.delete(item);
      this.#unpaid.add(item);
      this.#parts.refused(refusal, this.#unpaid.size >= MOST_UNPAID);
    });
  }

  /** An event of a transcript, where it may be told: undefined where nobody pays it, or where it is told when it is known to be paid. */
  ifPaid(event: JsonObject): JsonObject | undefined {
    const { item_id: item } = event;
    if (typeof item !== 'string') return event;
    const turn = this.#turns.get(item);
    if (turn === undefined || turn.isAdmitted) return this.#unpaid.has(item) ? undefined : event;
    void turn.admitted.then((refusal) => {
      if (refusal === undefined) this.#parts.tell(event);
    });
    return undefined;
  }

  /** It was written down, or could not be. */
  done(event: JsonObject): void {
    const { item_id: item, type } = event;
    const turn = typeof item === 'string' ? this.#turns.get(item) : undefined;
    if (typeof item !== 'string' || turn === undefined) return;
    this.#turns.delete(item);
    const { transcribes: seconds = 0 } = turn.order;
    const isFailed = type !== 'conversation.item.input_audio_transcription.completed';
    const told = realtimeEvents.usageOfTranscription(event);
    turn.end({
      usage: isFailed ? undefined : { seconds, ...told, ...(told === undefined && { estimated: true }) },
      ...(isFailed && { error: new GatewayError('upstream_unavailable', 'the vendor’s transcription failed') }),
    });
  }

  /** The vendor was hung up on: it bills what it was sent. */
  closed(): void {
    for (const turn of this.#turns.values()) {
      const { transcribes: seconds = 0 } = turn.order;
      turn.end({ usage: { seconds, estimated: true }, isLeft: true });
    }
    this.#turns.clear();
  }
}
