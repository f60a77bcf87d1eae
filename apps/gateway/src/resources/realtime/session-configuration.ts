/** What a realtime session is told to be, and how its client and its vendor are told: each calls the models by its own names, and no client sees the operator's. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Offer } from '@model-gateway/core';
import { realtimeEvents, type SessionView } from '@model-gateway/translate';
import type { Transcriber } from './transcripts.ts';

const UNKNOWN_VIEW: SessionView = {
  ...{ answersSpeech: true, transcriber: undefined, mostOutput: undefined },
  ...{ bytesPerSecond: 48_000, outputBytesPerSecond: 48_000 },
};

/** What a session's model is. */
export interface SessionModel {
  /** As the client calls it. */
  readonly model: string;
  readonly offer: Offer;
  /** Its vendor writes down what it hears by itself, whatever model is named for that. */
  readonly transcribesItself: boolean;
  /** The row and the offer of a model that writes down what is heard, at the session's account. Throws what is wrong with it. */
  readonly transcriberOf: (model: string) => Transcriber;
}

export class SessionConfiguration {
  /** What the vendor has confirmed last. */
  view = UNKNOWN_VIEW;
  /** Who writes down what is heard; undefined: nobody, or at nobody's cost. */
  transcriber: Transcriber | undefined;
  /** Those that were asked for, the newest last, by what the vendor calls them. */
  readonly #transcribers = new Map<string, Transcriber>();
  /** Updates that the vendor has not confirmed. */
  #unconfirmed = 0;

  /** Whether the vendor answers speech without being asked, or may do so by an update that it has not confirmed. */
  get mayAnswerSpeech(): boolean {
    return this.view.answersSpeech || this.#unconfirmed > 0;
  }

  /** An update as the vendor is told it. Throws where the client may not have it: a session keeps the model that it was opened with. */
  update(event: JsonObject, { model: own, offer, transcribesItself, transcriberOf }: SessionModel): JsonObject {
    const session = realtimeEvents.objectAt(event, 'session');
    const { model } = session;
    if (typeof model === 'string' && model !== own)
      throw new GatewayError(
        'invalid_request',
        `session.model is '${model.slice(0, 100)}'; the session was opened with '${own}'`,
        { param: 'session.model' },
      );
    const { input } = realtimeEvents.objectAt(session, 'audio') as { input?: Json };
    let transcriber: Transcriber | undefined;
    if (isJsonObject(input) && input['transcription'] !== undefined && !transcribesItself) {
      const { model: asked } = realtimeEvents.objectAt(input, 'transcription');
      transcriber = typeof asked === 'string' ? transcriberOf(asked) : undefined;
      if (transcriber !== undefined) this.#transcribers.set(transcriber.offer.model, transcriber);
    }
    this.#unconfirmed++;
    return {
      ...event,
      session: realtimeEvents.withModels(session, {
        model: () => offer.model,
        transcriber: (name) => transcriber?.offer.model ?? name,
      }),
    };
  }

  /** The vendor says what the session is. */
  confirmed({ type }: JsonObject, session: JsonObject): void {
    this.view = realtimeEvents.viewOf(session);
    const { transcriber: name } = this.view;
    // By the vendor's word: an update that it refused has changed nothing.
    this.transcriber =
      name === undefined ? undefined : (this.#transcribers.get(name) ?? [...this.#transcribers.values()].at(-1));
    if (type === 'session.updated') this.#unconfirmed = Math.max(0, this.#unconfirmed - 1);
  }

  /** A session as its client is told. */
  shown(session: JsonObject, model: string): JsonObject {
    return realtimeEvents.withModels(session, {
      model: () => model,
      transcriber: (name) => this.transcriber?.row.code ?? name,
    });
  }
}

/** A vendor's error as its client is told; `own` is what ids of the gateway's own events begin with. */
export function shownError(event: JsonObject, scrub: (text: string) => string, own: string): JsonObject {
  const error = realtimeEvents.objectAt(event, 'error');
  const { event_id: id, message } = error;
  const isOwn = typeof id === 'string' && id.startsWith(own);
  const words = typeof message === 'string' ? scrub(message) : 'the vendor reports a fault';
  return { ...event, error: { ...error, message: words, ...(isOwn && { event_id: null }) } };
}

/** The end of a response as its client is told. */
export function shownResponse(event: JsonObject, scrub: (text: string) => string): JsonObject {
  const response = realtimeEvents.objectAt(event, 'response');
  const { status_details: details } = response;
  if (!isJsonObject(details) || !isJsonObject(details['error'])) return event;
  return { ...event, response: { ...response, status_details: withoutSecrets(details, scrub) } };
}

/** Vendors name what is the operator's in the words of their errors. */
export function withoutSecrets(holder: JsonObject, scrub: (text: string) => string): JsonObject {
  const { error } = holder;
  if (!isJsonObject(error) || typeof error['message'] !== 'string') return holder;
  return { ...holder, error: { ...error, message: scrub(error['message']) } };
}
