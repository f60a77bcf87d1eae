/** Reads what a vendor's answer says was used, while the answer passes by. */
import { isJsonObject, type Json, type Usage } from '@model-gateway/contracts';

/** A number of an answer that is billed. */
export interface ReportedCount {
  readonly name: CountName;
  /** Members that lead to it: `['usage', 'pages']`. */
  readonly path: readonly string[];
}
export type CountName = Exclude<keyof Usage, 'estimated'>;

/** Of an answer that is no stream of events: larger ones are not looked into. */
const LARGEST_READ = 1024 * 1024;
const LARGEST_EVENT = 256 * 1024;

/** The counts of one answer. Of events the last that has a count says it, as vendors' running totals do. */
export class ReportedUsage {
  private readonly counts: readonly ReportedCount[];
  private readonly isEvents: boolean;
  private readonly found = new Map<CountName, number>();
  private readonly decoder = new TextDecoder();
  private text = '';
  /** The rest is not looked into. */
  private isLost = false;

  constructor(counts: readonly ReportedCount[], contentType: string) {
    this.counts = counts;
    this.isEvents = /^text\/event-stream\b/i.test(contentType);
    this.isLost = counts.length === 0 || !(this.isEvents || /\bjson\b/i.test(contentType));
  }

  push(chunk: Uint8Array): void {
    if (this.isLost) return;
    this.text += this.decoder.decode(chunk, { stream: true });
    if (this.isEvents) this.readLines();
    else if (this.text.length > LARGEST_READ) this.lose();
  }

  /** What was found when the answer has ended. */
  end(): Usage {
    if (!this.isLost) {
      if (this.isEvents) this.readLine(this.text);
      else this.read(this.text);
      this.lose();
    }
    return Object.fromEntries(this.found);
  }

  private readLines(): void {
    for (let end = this.text.indexOf('\n'); end !== -1; end = this.text.indexOf('\n')) {
      this.readLine(this.text.slice(0, end));
      this.text = this.text.slice(end + 1);
    }
    // An event of a picture: it tells no counts.
    if (this.text.length > LARGEST_EVENT) this.text = '';
  }

  private readLine(line: string): void {
    if (!line.startsWith('data:') || !this.counts.some(({ path }) => line.includes(`"${path.at(-1) ?? ''}"`))) return;
    this.read(line.slice('data:'.length));
  }

  private read(text: string): void {
    let json: Json;
    try {
      json = JSON.parse(text) as Json;
    } catch {
      return;
    }
    for (const { name, path } of this.counts) {
      const count = path.reduce<Json | undefined>((at, member) => memberOf(at, member), json);
      if (typeof count === 'number' && Number.isFinite(count) && count >= 0) this.found.set(name, count);
    }
  }

  private lose(): void {
    this.isLost = true;
    this.text = '';
  }
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
