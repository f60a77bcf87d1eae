/** A WebSocket that notes what is done with it; time and what comes over it are the test's. */
import { EventEmitter } from 'node:events';
import type { JsonObject } from '@model-gateway/contracts';
import type { UpstreamSocket } from '@model-gateway/provider-kit';
import { vi } from 'vitest';
import { WebSocket } from 'ws';
import type { SocketLine } from '../src/http/upgrades.ts';

export class SocketDouble extends EventEmitter {
  readyState: number = WebSocket.OPEN;
  readonly sent: JsonObject[] = [];
  readonly done: string[] = [];
  bufferedAmount = 0;
  flush: (() => void) | undefined;

  /** As the code under test takes it. */
  get line(): SocketLine & UpstreamSocket {
    return this as unknown as SocketLine & UpstreamSocket;
  }

  send(text: string, done?: (() => void) | object): void {
    this.sent.push(JSON.parse(text) as JsonObject);
    if (typeof done === 'function') this.flush = done as () => void;
  }
  close(code: number): void {
    if (this.readyState !== WebSocket.OPEN) return;
    this.readyState = WebSocket.CLOSED;
    this.done.push(`close ${code}`);
    this.emit('close', code, Buffer.alloc(0));
  }
  terminate(): void {
    this.readyState = WebSocket.CLOSED;
    this.done.push('terminate');
    this.emit('close', 1006, Buffer.alloc(0));
  }
  ping(): void {
    this.done.push('ping');
  }
  pause(): void {
    this.done.push('pause');
  }
  resume(): void {
    this.done.push('resume');
  }
  /** Something comes, and is dealt with. */
  async hear(event: JsonObject): Promise<void> {
    this.emit('message', Buffer.from(JSON.stringify(event)), false);
    await vi.advanceTimersByTimeAsync(0);
  }
}
