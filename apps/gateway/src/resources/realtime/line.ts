/** A vendor's side of a realtime session, by the events that it speaks; in OpenAI's words whatever they are. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ModelRow, Offer, RealtimeLine } from '@model-gateway/core';
import type { TurnRefusal } from './turns.ts';
import { jsonObjectIn, VendorSocket, type LineListener, type LineParts, type VendorLine } from './vendor-socket.ts';

/** What a session is held with. */
export interface OpenedSession {
  readonly line: VendorLine;
  readonly offer: Offer;
  readonly row: ModelRow;
  /** As the client calls the model. */
  readonly model: string;
  readonly transcribes: boolean;
  readonly scrub: (text: string) => string;
  /** What the session is told to be before its client says anything. */
  readonly initial?: JsonObject;
}

/** A session whose model is named by its first update. */
export interface DeferredSession {
  /** Resolves with what is said against the model, too. */
  readonly connect: (model: string) => Promise<OpenedSession | TurnRefusal>;
  /** What the client is told of it before. */
  readonly session: JsonObject;
}

/** A vendor's side, by the events that it speaks; `model` is what the client calls it. */
export async function lineOf(line: RealtimeLine, model: string, parts: LineParts): Promise<VendorLine> {
  switch (line.wire) {
    case 'openai-realtime':
      return new DirectLine(line);
    case 'gemini-live': {
      const { LiveLine } = await import('./live-line.ts');
      return new LiveLine(line, model, parts);
    }
  }
}

/** Sound that is told: of it nothing but its length matters, and it comes many times a second. */
const SOUND = /^\{"type": ?"response\.output_audio\.delta"/;

/** OpenAI's own events, as they are. */
class DirectLine implements VendorLine {
  readonly turnsBySound = false;
  readonly transcribesItself = false;
  readonly socket: VendorSocket;

  constructor({ socket }: RealtimeLine) {
    this.socket = new VendorSocket(socket);
  }

  get drained(): Promise<void> | undefined {
    return this.socket.drained;
  }

  listen(listener: LineListener): void {
    this.socket.listen({
      message: (data) => {
        const text = data.toString();
        if (SOUND.test(text)) {
          listener.event(text, undefined);
          return;
        }
        const event = jsonObjectIn(text);
        if (event !== undefined) listener.event(text, event);
      },
      closed: (code, reason) => listener.closed(code, reason),
    });
  }

  send(text: string): void {
    this.socket.send(text);
  }

  close(): void {
    this.socket.close();
  }
}

/** Keeps a vendor from answering what nobody pays; its ids of events begin with this. */
export function silence(line: VendorLine, eventId: string): void {
  for (const type of ['input_audio_buffer.clear', 'response.cancel']) {
    const event = { type, event_id: `${eventId}silence` };
    line.send(JSON.stringify(event), event);
  }
}
