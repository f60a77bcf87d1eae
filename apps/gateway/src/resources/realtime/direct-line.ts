/** A vendor's side of a realtime session: OpenAI's own events as they are, and which side is whose. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { RealtimeLine } from '@model-gateway/core';
import { PacedSender, type LineListener, type LineParts, type VendorLine } from './line.ts';

/** Sound that is told: of it nothing but its length matters, and it comes many times a second. */
const SOUND = /^\{"type": ?"response\.output_audio\.delta"/;

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

/** OpenAI's own events, as they are. */
export class DirectLine implements VendorLine {
  readonly turnsBySound = false;
  readonly transcribesItself = false;
  readonly #socket: RealtimeLine['socket'];
  #isAlive = true;
  readonly #sender = new PacedSender();

  constructor({ socket }: RealtimeLine) {
    this.#socket = socket;
    socket.on('pong', () => (this.#isAlive = true));
  }

  listen(listener: LineListener): void {
    const socket = this.#socket;
    socket.on('message', (data: Buffer) => {
      this.#isAlive = true;
      const text = data.toString();
      if (SOUND.test(text)) {
        listener.event(text, undefined);
        return;
      }
      const event = parsed(text);
      if (event !== undefined) listener.event(text, event);
    });
    socket.once('close', (code: number, reason: Buffer) => listener.closed(code, reason.toString()));
    socket.resume();
  }

  send(text: string): void {
    const socket = this.#socket;
    this.#sender.send(socket, text);
  }

  drained(): Promise<void> | undefined {
    return this.#sender.drained;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#isAlive = true;
    this.#socket.resume();
  }

  look(): boolean {
    if (!this.#isAlive) return false;
    this.#isAlive = false;
    this.#socket.ping(undefined, undefined, () => undefined);
    return true;
  }

  close(): void {
    this.#socket.close(1000);
    // Who does not answer is not waited for.
    setTimeout(() => this.#socket.terminate(), CLOSED_WITHIN_MS).unref();
  }
}

const CLOSED_WITHIN_MS = 1000;

function parsed(text: string): JsonObject | undefined {
  try {
    const event = JSON.parse(text) as Json;
    return isJsonObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
