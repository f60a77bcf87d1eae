import type { Json } from '@model-gateway/contracts';

const LONG_INTEGER = /\d{16}/;

/**
 * JSON.parse that keeps integers beyond 2^53 as strings (Kling element ids and MiniMax file ids have 18 digits: video.md §0.8).
 * Undefined when the text is not JSON.
 */
export function parseVendorJson(text: string): Json | undefined {
  try {
    if (!LONG_INTEGER.test(text)) return JSON.parse(text) as Json;
    return JSON.parse(text, keepLongIntegers) as Json;
  } catch {
    return undefined;
  }
}

function keepLongIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}
