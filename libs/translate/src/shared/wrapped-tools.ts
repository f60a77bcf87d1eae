/** Free-text tools at vendors of the OpenAI wires who know JSON tools only: asked as functions, answered as what they are. */
import type { ChatEvent, ChatReply, ChatRequest } from '../conversation.ts';
import type { Encoded, SseEvent, StreamDecoder, Target } from '../dialect.ts';
import { quirk } from './translation.ts';
import { freeText } from './custom-tools.ts';
import type { ToolNames } from './tool-names.ts';

/** Whether this vendor must be asked for a function instead of a custom tool. Only OpenAI is known to have them. */
export function wrapsCustom(target: Target): boolean {
  return quirk(target, 'custom_tools') !== true;
}

/** What `Encoded` says of the tools that were wrapped. */
export function wrappedTools(
  request: ChatRequest,
  target: Target,
  names: ToolNames,
): { readonly customTools?: ReadonlySet<string> } {
  if (!wrapsCustom(target)) return {};
  const wire = request.tools.flatMap((tool) => (tool.type === 'custom' ? [names.toWire(tool.name)] : []));
  return wire.length === 0 ? {} : { customTools: new Set(wire) };
}

/** Free text as the arguments of such a function. */
export function wrapText(text: string): string {
  return JSON.stringify({ input: text });
}

/** The caller's own names of the tools that were wrapped. */
function wrappedNames(sent: Encoded | undefined): ReadonlySet<string> {
  return new Set([...(sent?.customTools ?? [])].map((name) => sent?.toolNames?.get(name) ?? name));
}

/** The reply with calls of wrapped tools as custom ones; names are the caller's already. */
export function unwrapReply(reply: ChatReply, sent: Encoded | undefined): ChatReply {
  const names = wrappedNames(sent);
  if (names.size === 0) return reply;
  return {
    ...reply,
    choices: reply.choices.map((choice) => ({
      ...choice,
      parts: choice.parts.map((part) =>
        part.type === 'tool-call' && part.kind === 'function' && names.has(part.name)
          ? { ...part, kind: 'custom', arguments: freeText(part.arguments) }
          : part,
      ),
    })),
  };
}

/** The same of a stream: the text of a wrapped call is known when its JSON is whole. */
export function unwrappingDecoder(decoder: StreamDecoder, sent: Encoded | undefined): StreamDecoder {
  const names = wrappedNames(sent);
  return names.size === 0 ? decoder : new UnwrappingDecoder(decoder, names);
}

class UnwrappingDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #names: ReadonlySet<string>;
  readonly #held = new Map<number, string[]>();

  constructor(decoder: StreamDecoder, names: ReadonlySet<string>) {
    this.#decoder = decoder;
    this.#names = names;
  }

  push(event: SseEvent): ChatEvent[] {
    return this.#decoder.push(event).flatMap((one) => this.#event(one));
  }

  end(): ChatEvent[] {
    return this.#decoder.end().flatMap((one) => this.#event(one));
  }

  #event(event: ChatEvent): ChatEvent[] {
    if (event.type === 'tool-call-start' && event.kind === 'function' && this.#names.has(event.name)) {
      this.#held.set(event.block, []);
      return [{ ...event, kind: 'custom' }];
    }
    const held = event.type === 'delta' || event.type === 'block-stop' ? this.#held.get(event.block) : undefined;
    if (held === undefined) return [event];
    if (event.type === 'delta') {
      held.push(event.text);
      return [];
    }
    if (event.type !== 'block-stop') return [event];
    this.#held.delete(event.block);
    const text = freeText(held.join(''));
    return text === '' ? [event] : [{ type: 'delta', block: event.block, text }, event];
  }
}
