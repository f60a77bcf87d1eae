/** Answers that stream to their callers and will be kept: others of their tenant read and follow them meanwhile, in the process that answers. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { keptResponses } from '@model-gateway/translate';
import type { Tenant } from '../ports.ts';

/** Characters of one answer's events that are held for followers; those before them are gone. */
const MOST_HELD = 2 * 1024 * 1024;
/** The same of all answers of a process together: each is held although most are followed by nobody. */
const MOST_HELD_OF_ALL = 64 * 1024 * 1024;
/** What the largest keeps when there is no room, so that not every event that follows has to look for it. */
const KEPT_OF_LARGEST = 7 / 8;

interface Told {
  readonly number: number;
  readonly text: string;
}

/** One answer while it streams. */
export class LiveResponse {
  private readonly told: Told[] = [];
  /** Characters of the events in `told`. */
  private characters = 0;
  /** How many events are no longer held, and the number of the newest of them. */
  private gone = 0;
  private forgotten = -1;
  private response: JsonObject = {};
  private readonly items: JsonObject[] = [];
  private isOver = false;
  private readonly watchers = new Set<() => void>();
  private readonly all: Pick<LiveResponses, 'grew'>;

  constructor(all: Pick<LiveResponses, 'grew'>) {
    this.all = all;
  }

  /** An event as its caller is told it, and the text of that. */
  add(event: JsonObject, text: string): void {
    const { sequence_number: number, type, item } = event;
    this.response = keptResponses.responseIn(event) ?? this.response;
    if (type === 'response.output_item.done') this.items.push(item as JsonObject);
    this.told.push({ number: typeof number === 'number' ? number : this.gone + this.told.length, text });
    const before = this.characters;
    this.characters += text.length;
    this.hold(MOST_HELD);
    this.all.grew(this.characters - before);
    this.wake();
  }

  /** How many characters are held. */
  get held(): number {
    return this.characters;
  }

  /** Whether there are events that may be let go. */
  get hasOlder(): boolean {
    return this.told.length > 1;
  }

  /** Lets the oldest events go until so many characters are left; the newest one stays, for those who wait for it. */
  hold(most: number): void {
    while (this.characters > most && this.hasOlder) {
      const oldest = this.told.shift();
      if (oldest === undefined) break;
      this.characters -= oldest.text.length;
      this.forgotten = oldest.number;
      this.gone++;
    }
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
        `starting_after: events up to ${this.forgotten} are no longer available; read the response when it has ended`,
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
  private readonly most: number;
  /** Characters that all of them hold. */
  private held = 0;

  /** Tests: a smaller bound. */
  constructor(most = MOST_HELD_OF_ALL) {
    this.most = most;
  }

  begin(tenant: Tenant, id: string): LiveResponse {
    const live = new LiveResponse(this);
    this.responses.set(nameOf(tenant, id), live);
    return live;
  }

  find(tenant: Tenant, id: string): LiveResponse | undefined {
    return this.responses.get(nameOf(tenant, id));
  }

  end(tenant: Tenant, id: string): void {
    const live = this.find(tenant, id);
    if (live === undefined) return;
    live.end();
    this.held -= live.held;
    this.responses.delete(nameOf(tenant, id));
  }

  /** One of them holds so many characters more. Beyond the bound the largest lets its oldest events go. */
  grew(characters: number): void {
    this.held += characters;
    while (this.held > this.most) {
      let largest: LiveResponse | undefined;
      for (const each of this.responses.values()) if (each.hasOlder && each.held > (largest?.held ?? 0)) largest = each;
      if (largest === undefined) return;
      const before = largest.held;
      largest.hold(before * KEPT_OF_LARGEST);
      this.held -= before - largest.held;
    }
  }
}

function nameOf({ ownerId, mode }: Tenant, id: string): string {
  return `${id} ${ownerId} ${mode}`;
}
