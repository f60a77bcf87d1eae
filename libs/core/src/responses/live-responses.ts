/** Answers that stream to their callers and will be kept: others of their tenant read and follow them meanwhile, in the process that answers. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { keptResponses } from '@model-gateway/translate';
import type { Tenant } from '../ports.ts';

/** Characters of one answer's events that are held for followers; those before them are gone. */
const MOST_HELD = 2 * 1024 * 1024;

interface Told {
  readonly number: number;
  readonly text: string;
}

/** One answer while it streams. */
export class LiveResponse {
  private readonly told: Told[] = [];
  private held = 0;
  /** How many events are no longer held, and the number of the newest of them. */
  private gone = 0;
  private forgotten = -1;
  private response: JsonObject = {};
  private readonly items: JsonObject[] = [];
  private isOver = false;
  private readonly watchers = new Set<() => void>();

  /** An event as its caller is told it, and the text of that. */
  add(event: JsonObject, text: string): void {
    const { sequence_number: number, type, item } = event;
    this.response = keptResponses.responseIn(event) ?? this.response;
    if (type === 'response.output_item.done') this.items.push(item as JsonObject);
    this.told.push({ number: typeof number === 'number' ? number : this.told.length, text });
    this.held += text.length;
    while (this.held > MOST_HELD && this.told.length > 1) {
      const oldest = this.told.shift();
      if (oldest === undefined) break;
      this.held -= oldest.text.length;
      this.forgotten = oldest.number;
      this.gone++;
    }
    this.wake();
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }

  /** The response object as it is now. */
  shown(): JsonObject {
    return this.items.length === 0 ? this.response : { ...this.response, output: [...this.items] };
  }

  /** The texts of events behind that number, to the end of the answer. Throws `invalid_request` where they are no longer held. */
  follow(after: number, signal: AbortSignal): AsyncGenerator<string> {
    if (after < this.forgotten)
      throw new GatewayError(
        'invalid_request',
        `starting_after: events up to ${this.forgotten} are no longer held; read the response when it has ended`,
        { param: 'starting_after' },
      );
    return this.from(after, signal);
  }

  private async *from(after: number, signal: AbortSignal): AsyncGenerator<string> {
    const held = this.told.findIndex(({ number }) => number > after);
    let at = this.gone + (held === -1 ? this.told.length : held);
    // Who reads so slowly that the next one is gone is told no more, and can read the whole answer.
    while (!signal.aborted && at >= this.gone) {
      const next = this.told[at - this.gone];
      if (next !== undefined) {
        at++;
        if (next.number > after) yield next.text;
      } else if (this.isOver) return;
      else await this.change(signal);
    }
  }

  private change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.watchers.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.watchers.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  private wake(): void {
    for (const done of [...this.watchers]) done();
  }
}

/** Those of one process. */
export class LiveResponses {
  private readonly responses = new Map<string, LiveResponse>();

  begin(tenant: Tenant, id: string): LiveResponse {
    const live = new LiveResponse();
    this.responses.set(nameOf(tenant, id), live);
    return live;
  }

  find(tenant: Tenant, id: string): LiveResponse | undefined {
    return this.responses.get(nameOf(tenant, id));
  }

  end(tenant: Tenant, id: string): void {
    this.find(tenant, id)?.end();
    this.responses.delete(nameOf(tenant, id));
  }
}

function nameOf({ ownerId, mode }: Tenant, id: string): string {
  return `${id} ${ownerId} ${mode}`;
}
