/** How much text a vendor's events carry, in bytes, without parsing them: what is billed when the vendor does not say. */
import type { DialectName } from '@model-gateway/contracts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

/** Ends of the names whose string value is output: `content"` is found in `"reasoning_content":"…"` too. */
const NAMES: Readonly<Record<DialectName, readonly Buffer[]>> = {
  'openai-chat': named('content"', 'arguments"', 'refusal"'),
  'openai-responses': named('delta"'),
  'anthropic-messages': named('text"', 'partial_json"', 'thinking"'),
  'gemini-generate': named('text"'),
};

function named(...names: readonly string[]): readonly Buffer[] {
  return names.map((name) => Buffer.from(name));
}

/** Bytes of output text in whole events. */
export function saidBytes(dialect: DialectName, events: Buffer): number {
  let said = 0;
  for (const name of NAMES[dialect]) {
    for (let at = events.indexOf(name); at !== -1; at = events.indexOf(name, at)) {
      at += name.length;
      if (events[at] !== COLON) continue;
      at++;
      if (events[at] === SPACE) at++;
      if (events[at] !== QUOTE) continue;
      const end = endOfString(events, at);
      said += end - at - 1;
      at = end;
    }
  }
  return said;
}

/** Index of the closing quote. */
function endOfString(bytes: Buffer, from: number): number {
  let quote = bytes.indexOf(QUOTE, from + 1);
  while (quote !== -1) {
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
  return bytes.length;
}
