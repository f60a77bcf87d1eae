/** The parts of an assistant turn out of the events of its stream, to be sent back in the next request. */
import type { AssistantPart, ChatEvent, Citation, Opaque } from '@model-gateway/translate';

export interface PartCollector {
  push(event: ChatEvent): void;
  parts(): readonly AssistantPart[];
}

interface Open {
  readonly part: AssistantPart & { readonly type: 'text' | 'refusal' | 'reasoning' | 'tool-call' };
  text: string;
  opaque: Opaque | undefined;
  readonly citations: Citation[];
}

/** Makes a collector that goes on behind `before`. */
export function createPartCollector(before: readonly AssistantPart[] = []): PartCollector {
  const blocks = new Map<number, Open | AssistantPart>();
  const open = (block: number, part: Open['part']): void => {
    blocks.set(block, { part, text: '', opaque: undefined, citations: [] });
  };
  const opened = (block: number): Open | undefined => {
    const found = blocks.get(block);
    return found !== undefined && 'part' in found ? found : undefined;
  };
  return {
    push(event) {
      switch (event.type) {
        case 'text-start':
          open(event.block, { type: 'text', text: '' });
          return;
        case 'refusal-start':
          open(event.block, { type: 'refusal', text: '' });
          return;
        case 'reasoning-start':
          open(event.block, { type: 'reasoning', text: '' });
          return;
        case 'tool-call-start':
          open(event.block, { type: 'tool-call', id: event.id, name: event.name, kind: event.kind, arguments: '' });
          return;
        case 'server-tool':
        case 'image':
          blocks.set(event.block, event.part);
          return;
        case 'delta': {
          const block = opened(event.block);
          if (block !== undefined) block.text += event.text;
          return;
        }
        case 'opaque': {
          const block = opened(event.block);
          if (block !== undefined) block.opaque = event.opaque;
          return;
        }
        case 'citation':
          opened(event.block)?.citations.push(event.citation);
          return;
        default:
          // The rest is about the answer, not its parts.
          return;
      }
    },
    parts: () => [...before, ...[...blocks.values()].map((block) => ('part' in block ? partOf(block) : block))],
  };
}

function partOf({ part, text, opaque, citations }: Open): AssistantPart {
  const state = opaque === undefined ? {} : { opaque };
  if (part.type === 'tool-call') return { ...part, ...state, arguments: text };
  if (part.type === 'text') return { ...part, ...state, text, ...(citations.length > 0 && { citations }) };
  return { ...part, ...state, text };
}
