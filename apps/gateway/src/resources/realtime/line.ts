/** A vendor's side of a realtime session, in OpenAI's events whatever the vendor speaks. */
import type { JsonObject } from '@model-gateway/contracts';
import type { RealtimeLine } from '@model-gateway/core';

/** Bytes that wait to be taken by a vendor; beyond them nothing is read of the client. */
const MOST_UNSENT = 256 * 1024;

export interface LineListener {
  /** `event` is undefined where the text is sound, and no JSON is read for it. */
  event(text: string, event: JsonObject | undefined): void;
  closed(code: number, reason: string): void;
}

/** What a session has of its vendor. */
export interface VendorLine {
  /** Sound that comes in begins a turn by itself, and nothing tells when somebody speaks. */
  readonly turnsBySound: boolean;
  /** What is heard is written down by the model itself, whatever model is named for that, and costs nothing more. */
  readonly transcribesItself: boolean;
  listen(listener: LineListener): void;
  /** `text` is the event as it came. */
  send(text: string, event: JsonObject): void;
  /** Resolves when the vendor has taken enough of what was sent; undefined when it has. */
  drained(): Promise<void> | undefined;
  pause(): void;
  resume(): void;
  /** Asks whether it is still there; false when the last question was not answered. */
  look(): boolean;
  close(): void;
}

export interface LineParts {
  readonly now: () => number;
  readonly randomId: () => string;
}

/** Sends to a vendor, and tells when it has taken enough of that. */
export class PacedSender {
  #drained: Promise<void> | undefined;

  /** Undefined where nothing has to be waited for. */
  get drained(): Promise<void> | undefined {
    return this.#drained;
  }

  send(socket: RealtimeLine['socket'], text: string): void {
    if (this.#drained !== undefined || socket.bufferedAmount + text.length <= MOST_UNSENT) {
      socket.send(text, () => undefined);
      return;
    }
    this.#drained = new Promise((resolve) => {
      socket.send(text, () => {
        this.#drained = undefined;
        resolve();
      });
    });
  }
}
