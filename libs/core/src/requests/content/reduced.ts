/** A body as it may be kept: what looks like a secret is masked, media are left out, and what is too long is cut. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { DETECTORS, type Guardrail } from '../../guardrails/guardrail.ts';
import { masked, scannerOf, type Match, type Scanner } from '../../guardrails/scanner.ts';

export interface Reducing {
  readonly scanner: Scanner;
  /** Credentials that came with the request itself. */
  readonly secrets: readonly string[];
  /** Characters of all texts. */
  readonly limit: number;
}

export interface Reduced {
  readonly value: Json;
  readonly isCut: boolean;
}

const ALWAYS: Guardrail = {
  ...{ name: 'kept', mode: 'mask', stages: [], models: [], keys: [], groups: [], patterns: [], words: [] },
  detect: DETECTORS,
};

/** Finds everything that guardrails look for: the built-in sets, and what the operator's look for, whatever they do about it and for whom. */
export function keptScanner(guardrails: readonly Guardrail[] = []): Scanner {
  return scannerOf([ALWAYS, ...guardrails.map((each): Guardrail => ({ ...each, mode: 'mask' }))]);
}

/** What is looked at behind a cut: a secret that goes over it is found whole, or where it begins. */
const AHEAD = 17 * 1024;
/** Milliseconds for all texts of a body. */
const LONGEST_MS = 90;
const DEEPEST = 64;
/** What a member or an element costs beside its text. */
const EACH = 4;
/** With less nothing more is begun. */
const LEAST_ROOM = 64;
/** Of these the newest elements are kept first. */
const CONVERSATIONS = new Set(['messages', 'input', 'contents']);
/** Declarations come when there is room left. */
const LAST = new Set(['tools', 'functions', 'response_format', 'text', 'generationConfig', 'output_config']);
const MEDIA_NAMES = new Set(['data', 'b64_json', 'partial_image_b64', 'file_data', 'bytesBase64Encoded']);
const JSON_NAMES = new Set(['arguments', 'partial_json']);
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** A word so long, of such characters alone, is no word. */
const LONGEST_WORD = 256;
const MOST_NUMBERS = 64;
/** A number so long may be a card's or a telephone's. */
const LEAST_TELLING = 1_000_000_000;

/** The value within the bound. Throws nothing, whatever the value is. */
export function reduced(value: Json, options: Reducing): Reduced {
  const reducer = new Reducer(options);
  const kept = reducer.json('', value, undefined, 0);
  return { value: kept, isCut: reducer.isCut };
}

class Reducer {
  isCut = false;
  private readonly scanner: Scanner;
  private readonly search: BoundedSearch;
  private readonly secrets: readonly string[];
  private room: number;

  constructor({ scanner, secrets, limit }: Reducing) {
    this.scanner = scanner;
    this.search = new BoundedSearch(scanner);
    this.secrets = secrets;
    this.room = limit;
  }

  /** `name` is that of the member in its `holder`; empty for an element and at the top. */
  json(name: string, given: Json, holder: JsonObject | undefined, depth: number): Json {
    if (typeof given === 'string') return this.string(name, given, holder);
    if (typeof given === 'number') return this.number(given);
    if (depth > DEEPEST) return this.cutMark(1, 'value');
    if (Array.isArray(given)) return this.array(given, false, depth);
    if (isJsonObject(given)) return this.object(given, depth);
    this.room -= EACH;
    return given;
  }

  private object(given: JsonObject, depth: number): Json {
    const names = Object.keys(given);
    const inTurn =
      depth > 0 ? names : [...names.filter((name) => !LAST.has(name)), ...names.filter((name) => LAST.has(name))];
    const kept = new Map<string, Json>();
    for (const name of inTurn) {
      if (this.room < LEAST_ROOM) break;
      const member = given[name] ?? null;
      const shown = this.text(name, false);
      const isConversation = depth === 0 && Array.isArray(member) && CONVERSATIONS.has(name);
      kept.set(shown, isConversation ? this.array(member, true, depth) : this.json(name, member, given, depth + 1));
    }
    if (kept.size < names.length) kept.set('[cut]', this.cutMark(names.length - kept.size, 'members'));
    return Object.fromEntries(kept);
  }

  private array(given: readonly Json[], newestFirst: boolean, depth: number): Json {
    if (given.length > MOST_NUMBERS && given.every((each) => typeof each === 'number')) {
      this.room -= EACH;
      return `[${given.length} numbers]`;
    }
    const order = newestFirst ? given.toReversed() : given;
    const kept: Json[] = [];
    for (const each of order) {
      if (this.room < LEAST_ROOM) break;
      kept.push(this.json('', each, undefined, depth + 1));
    }
    const left = given.length - kept.length;
    if (newestFirst) kept.reverse();
    if (left === 0) return kept;
    const mark = this.cutMark(left, newestFirst ? 'earlier ones' : 'more');
    return newestFirst ? [mark, ...kept] : [...kept, mark];
  }

  private number(given: number): Json {
    this.room -= EACH;
    if (Math.abs(given) < LEAST_TELLING) return given;
    const written = String(given);
    const matches = this.search.find(written);
    if (matches === undefined) return this.cutMark(1, 'number');
    return matches.length === 0 ? given : masked(written, matches);
  }

  private string(name: string, whole: string, holder: JsonObject | undefined): string {
    const media = mediaIn(name, whole, holder);
    if (media !== undefined) {
      this.room -= media.length;
      return media;
    }
    return this.text(whole.includes(';base64,') ? withoutDataUrls(whole) : whole, JSON_NAMES.has(name));
  }

  private text(whole: string, isJson: boolean): string {
    const most = Math.max(0, this.room);
    let part = whole.length > most + AHEAD ? whole.slice(0, most + AHEAD) : whole;
    const isPart = part.length < whole.length;
    for (const secret of this.secrets) part = part.replaceAll(secret, '[api_key]');
    const matches = this.search.find(part);
    if (matches === undefined) return this.cutMark(whole.length, 'characters');
    let end = part.length;
    if (end > most) {
      end = isPart ? Math.min(most, this.scanner.holdFrom(part)) : most;
      for (const match of matches) if (match.start < end && match.end > end) end = match.start;
    }
    const kept = masked(
      part.slice(0, end),
      matches.filter((match) => match.end <= end),
      isJson,
    ).toWellFormed();
    this.room -= end + EACH;
    return end === part.length ? kept : `${kept}${this.cutMark(whole.length - end, 'characters')}`;
  }

  private cutMark(count: number, what: string): string {
    this.isCut = true;
    return `[cut: ${count} ${what}]`;
  }
}

/** Looks texts through for so long in all. */
class BoundedSearch {
  private readonly scanner: Scanner;
  private left = LONGEST_MS;

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  /** Undefined once the time is over: what nobody has looked through is not kept. */
  find(text: string): readonly Match[] | undefined {
    const began = performance.now();
    const steps = this.scanner.steps(text);
    try {
      while (performance.now() - began < this.left) {
        const { done, value } = steps.next();
        if (done === true) return value;
      }
      return undefined;
    } finally {
      this.left -= performance.now() - began;
    }
  }
}

/** What stands for media that a text is; undefined when it is none. */
function mediaIn(name: string, whole: string, holder: JsonObject | undefined): string | undefined {
  const isLong = whole.length >= LONGEST_WORD;
  const type = holder === undefined ? undefined : typeIn(holder);
  const isNamed = MEDIA_NAMES.has(name) && (name !== 'data' || type !== undefined) && holder?.['type'] !== 'text';
  if ((!isLong && !isNamed) || whole === '' || !BASE64.test(whole)) return undefined;
  return placeholder(type ?? (name === 'b64_json' || name === 'partial_image_b64' ? 'image' : 'base64'), whole.length);
}

const TYPE_NAMES = ['media_type', 'mime_type', 'mimeType', 'output_format', 'format'];

function typeIn(holder: JsonObject): string | undefined {
  for (const name of TYPE_NAMES) {
    const value = holder[name];
    if (typeof value === 'string' && /^[\w.+-]{1,40}(?:\/[\w.+-]{1,60})?$/.test(value)) return value;
  }
  return undefined;
}

/** Also those in the middle of a text, as pictures in Markdown are. */
function withoutDataUrls(whole: string): string {
  return whole.replace(
    /data:([\w.+-]{1,40}\/[\w.+-]{1,60})?[^,\s"')]{0,100};base64,([A-Za-z0-9+/=_-]*)/g,
    (_, type: string | undefined, data: string) => placeholder(type ?? 'data', data.length),
  );
}

function placeholder(type: string, characters: number): string {
  return `[${type}, ${Math.floor((characters * 3) / 4)} bytes]`;
}
