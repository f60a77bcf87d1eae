/** What a vendor answers, and what every caller must have of it. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Answer, Wire } from '../read-by-sdk.ts';

export interface Shape {
  readonly name: string;
  readonly wire: Wire;
  readonly whole?: JsonObject;
  /** Server-sent events. */
  readonly stream?: readonly string[];
  /** What callers of the other formats are given. */
  readonly said: Partial<Omit<Answer, 'tokens' | 'end'>>;
  /** The ends, in the words of the formats; those of an ordinary answer when absent. */
  readonly ends?: Partial<Record<Wire, string>>;
  readonly billed: readonly [input: number, output: number, searches?: number];
  /** Whether its own SDK can read it, too: then it is asked for in its own format as well. */
  readonly isReadable?: boolean;
}

/** A picture of one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

export function event(data: JsonObject | string, name?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

/** Events that are named by their type. */
export function typedEvents(...all: readonly JsonObject[]): string[] {
  return all.map((data) => event(data, String(data['type'])));
}
