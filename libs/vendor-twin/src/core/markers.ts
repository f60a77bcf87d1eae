import type { TwinFault } from './faults.ts';

/** What `[[twin:…]]` marks in a prompt ask for. */
export interface Markers {
  readonly faults: readonly TwinFault[];
  /** Words without a fault behind them (`tool`, `think`, `long` → `400`): read by the vendor that knows them. */
  readonly words: ReadonlyMap<string, string>;
}

const NONE: Markers = { faults: [], words: new Map() };
const MARK = /\[\[twin:([a-z0-9-]+)(?:=([^\]*]+))?(?:\*(\d+))?\]\]/gi;

/** Reads the marks of one text. `seen` counts how often this very text with a limited mark (`[[twin:503*2]]`) was met before. */
export function readMarkers(text: string, seen: Map<string, number>): Markers {
  if (!text.includes('[[twin:')) return NONE;
  const faults: TwinFault[] = [];
  const words = new Map<string, string>();
  for (const [mark, word = '', value = '', times] of text.matchAll(MARK)) {
    if (times !== undefined && !spend(`${mark} ${text}`, Number(times), seen)) continue;
    const fault = faultOf(word.toLowerCase(), value);
    if (fault === undefined) words.set(word.toLowerCase(), value);
    else faults.push(fault);
  }
  return { faults, words };
}

/** The text without its marks. */
export function withoutMarkers(text: string): string {
  return text.includes('[[twin:') ? text.replace(MARK, '').replace(/ {2,}/g, ' ').trim() : text;
}

const REMEMBERED = 10_000;

function spend(key: string, times: number, seen: Map<string, number>): boolean {
  const before = seen.get(key) ?? 0;
  if (seen.size >= REMEMBERED) seen.clear();
  seen.set(key, before + 1);
  return before < times;
}

function faultOf(word: string, value: string): TwinFault | undefined {
  if (/^[45]\d\d$/.test(word)) {
    return { kind: 'status', status: Number(word), ...(value !== '' && { headers: { 'retry-after': value } }) };
  }
  const number = value === '' ? undefined : Number(value);
  switch (word) {
    case 'slow':
      return { kind: 'slow', ms: Math.min(number ?? 1000, 600_000) };
    case 'hang':
      return { kind: 'hang' };
    case 'reset':
      return { kind: 'reset' };
    case 'no-answer':
      return { kind: 'no-answer' };
    case 'cut':
      return { kind: 'cut', afterEvents: number ?? 3, afterBytes: 40 };
    case 'stall':
      return { kind: 'stall', afterEvents: number ?? 3 };
    case 'error-event':
      return { kind: 'error-event', afterEvents: number ?? 0 };
    case 'malformed':
      return { kind: 'malformed' };
    case 'torn':
      return { kind: 'torn-json' };
    case 'html':
      return { kind: 'content-type', value: 'text/html; charset=utf-8' };
    case 'dribble':
      return { kind: 'dribble', bytesPerWrite: Math.max(1, number ?? 7) };
    case 'moderation':
      return { kind: 'moderation' };
    case 'fail':
      return { kind: 'fail' };
    case 'never':
      return { kind: 'never' };
    default:
      return undefined;
  }
}
