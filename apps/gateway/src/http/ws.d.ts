/** What is used of the library `ws`, which has no types of its own. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export class WebSocket extends EventEmitter {
    static readonly OPEN: 1;
    constructor(address: string, options?: { readonly headers?: Readonly<Record<string, string>> });
    /** Bytes that were sent and that the system has not taken yet. */
    readonly bufferedAmount: number;
    readonly readyState: number;
    send(data: string | Uint8Array, done?: (error?: Error) => void): void;
    send(data: string | Uint8Array, options: { readonly fin: boolean }): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
    ping(): void;
    pause(): void;
    resume(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: {
      readonly noServer: true;
      readonly clientTracking: boolean;
      readonly perMessageDeflate: boolean;
      readonly maxPayload: number;
    });
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, done: (socket: WebSocket) => void): void;
  }
}
