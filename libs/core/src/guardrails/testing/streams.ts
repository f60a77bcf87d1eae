/** Streams that two tests of guardrails feed in. */
import type { JsonObject } from '@model-gateway/contracts';

/** What is in the events of a stream. */
export const events = (out: string): JsonObject[] =>
  out.split('\n\n').flatMap((block) => {
    const data = /^data: (\{.*)$/m.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as JsonObject];
  });
/** A text in pieces of so many characters. */
export const cutAt = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
