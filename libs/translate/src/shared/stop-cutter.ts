/** Ends an answer where a stop sequence begins, for wires that cannot be told of one (docs/wire/chat-translation.md#scalars). */
import type { AssistantPart, ChatChoice, ChatEvent, ChatReply } from '../conversation.ts';
import type { SseEvent, StreamDecoder } from '../dialect.ts';

interface Hit {
  readonly index: number;
  readonly stop: string;
}

/** The stop sequence that is complete first, where a model would have stopped writing; of two that end at one place the longer. */
function earliest(text: string, stops: readonly string[]): Hit | undefined {
  let found: Hit | undefined;
  for (const stop of stops) {
    const hit = { index: stop === '' ? -1 : text.indexOf(stop), stop };
    if (hit.index >= 0 && (found === undefined || isSooner(hit, found))) found = hit;
  }
  return found;
}

function isSooner(one: Hit, other: Hit): boolean {
  const later = endOf(one) - endOf(other);
  return later < 0 || (later === 0 && one.index < other.index);
}

const endOf = ({ index, stop }: Hit): number => index + stop.length;

/** How many characters at the end of a text may be the beginning of a stop sequence. */
function undecided(text: string, stops: readonly string[]): number {
  const longest = Math.max(...stops.map((stop) => stop.length)) - 1;
  for (let length = Math.min(longest, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
}

export function cutReply(reply: ChatReply, stops: readonly string[] | undefined): ChatReply {
  if (stops === undefined || stops.length === 0) return reply;
  return { ...reply, choices: reply.choices.map((choice) => cutChoice(choice, stops)) };
}

function cutChoice(choice: ChatChoice, stops: readonly string[]): ChatChoice {
  const parts: AssistantPart[] = [];
  for (const part of choice.parts) {
    const hit = part.type === 'text' ? earliest(part.text, stops) : undefined;
    if (part.type !== 'text' || hit === undefined) {
      parts.push(part);
      continue;
    }
    if (hit.index > 0) parts.push({ ...part, text: part.text.slice(0, hit.index) });
    return { ...choice, parts, stop: 'stop-sequence', stopSequence: hit.stop };
  }
  return choice;
}

/** The same decoder, whose answers end at a stop sequence. What the vendor writes after it is read for its usage only. */
export function cuttingDecoder(decoder: StreamDecoder, stops: readonly string[] | undefined): StreamDecoder {
  const real = (stops ?? []).filter((stop) => stop !== '');
  return real.length === 0 ? decoder : new CuttingDecoder(decoder, real);
}

interface Open {
  readonly choice: number;
  readonly isText: boolean;
  /** What may be the beginning of a stop sequence. */
  held: string;
}

class CuttingDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #stops: readonly string[];
  readonly #open = new Map<number, Open>();
  /** Answers that were cut, and by what. */
  readonly #cut = new Map<number, string>();

  constructor(decoder: StreamDecoder, stops: readonly string[]) {
    this.#decoder = decoder;
    this.#stops = stops;
  }

  push(event: SseEvent): ChatEvent[] {
    return this.#through(this.#decoder.push(event));
  }

  end(): ChatEvent[] {
    return this.#through(this.#decoder.end());
  }

  #through(events: readonly ChatEvent[]): ChatEvent[] {
    const out: ChatEvent[] = [];
    for (const event of events) this.#event(event, out);
    return out;
  }

  #event(event: ChatEvent, out: ChatEvent[]): void {
    switch (event.type) {
      case 'text-start':
      case 'refusal-start':
      case 'reasoning-start':
      case 'tool-call-start':
        if (this.#cut.has(event.choice)) return;
        this.#open.set(event.block, { choice: event.choice, isText: event.type === 'text-start', held: '' });
        out.push(event);
        return;
      case 'server-tool':
      case 'image':
      case 'audio-delta':
        if (!this.#cut.has(event.choice)) out.push(event);
        return;
      case 'delta':
        this.#delta(event, out);
        return;
      case 'block-stop': {
        const open = this.#open.get(event.block);
        if (open === undefined) return;
        if (open.held !== '') out.push({ type: 'delta', block: event.block, text: open.held });
        this.#open.delete(event.block);
        out.push(event);
        return;
      }
      case 'opaque':
      case 'citation':
      case 'reasoning-break':
        if (this.#open.has(event.block)) out.push(event);
        return;
      case 'finish': {
        const stopSequence = this.#cut.get(event.choice);
        out.push(
          stopSequence === undefined
            ? event
            : { type: 'finish', choice: event.choice, stop: 'stop-sequence', stopSequence },
        );
        return;
      }
      case 'start':
      case 'usage':
      case 'continuation':
      case 'ping':
      case 'error':
      case 'end':
        out.push(event);
        return;
    }
  }

  #delta(event: Extract<ChatEvent, { type: 'delta' }>, out: ChatEvent[]): void {
    const open = this.#open.get(event.block);
    if (open === undefined) return;
    if (!open.isText) {
      out.push(event);
      return;
    }
    const text = open.held + event.text;
    const hit = earliest(text, this.#stops);
    const sure = hit?.index ?? text.length - undecided(text, this.#stops);
    if (sure > 0) out.push({ ...event, text: text.slice(0, sure) });
    open.held = text.slice(sure);
    if (hit === undefined) return;
    this.#cut.set(open.choice, hit.stop);
    for (const [block, { choice }] of this.#open) {
      if (choice !== open.choice) continue;
      this.#open.delete(block);
      out.push({ type: 'block-stop', block });
    }
  }
}
