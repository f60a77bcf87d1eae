/** What a vendor answers, and what every caller must have of it. */
import type { ChatFormat, JsonObject } from '@model-gateway/contracts';
import type { Answer } from '../read-by-sdk.ts';
import { sse } from '../scripted-formats.ts';

export interface Shape {
  readonly name: string;
  readonly wire: ChatFormat;
  readonly whole?: JsonObject;
  /** Server-sent events. */
  readonly stream?: readonly string[];
  /** What callers of the other formats are given. */
  readonly said: Partial<Omit<Answer, 'tokens' | 'end'>>;
  /** The ends, in the words of the formats; those of an ordinary answer when absent. */
  readonly ends?: Partial<Record<ChatFormat, string>>;
  readonly billed: readonly [input: number, output: number, searches?: number];
  /** Whether its own SDK can read it, too: then it is asked for in its own format as well. */
  readonly isReadable?: boolean;
}

/** Events that are named by their type. */
export function typedEvents(...all: readonly JsonObject[]): string[] {
  return all.map((data) => sse(data, String(data['type'])));
}
