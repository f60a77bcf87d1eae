/** The events of the one block that is open on this wire: its start, its deltas, its stop. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatEvent, Opaque } from '../conversation.ts';
import { formatSse } from '../shared/sse.ts';
import { showId } from './ids.ts';
import {
  imageText,
  isBareSignature,
  isOwnServerTool,
  redactedBlock,
  signatureOf,
  writeCitation,
} from './write-block.ts';

export type BlockStart = Extract<
  ChatEvent,
  {
    type:
      | 'text-start'
      | 'refusal-start'
      | 'reasoning-start'
      | 'tool-call-start'
      | 'server-tool'
      | 'image'
      | 'audio-delta';
  }
>;
type ToolStart = Extract<BlockStart, { type: 'tool-call-start' }>;
export type WithinBlock = Extract<ChatEvent, { type: 'delta' | 'reasoning-break' | 'opaque' | 'citation' }>;

export interface Block {
  readonly start: BlockStart;
  /** What came while another block was open. */
  readonly waiting: WithinBlock[];
  stopped: boolean;
  /** Whether its wire block is open: nothing empty is ever opened. */
  open: boolean;
  opaque: Opaque | undefined;
  /** The free text of a custom tool: the wire wants JSON, whole. */
  readonly kept: string[];
}

/** Writes the block that is live; knows the index it has. */
export class LiveBlockWriter {
  private index = -1;

  within(block: Block, event: WithinBlock): string {
    const { start } = block;
    if (start.type === 'tool-call-start') return this.inTool(block, start, event);
    return start.type === 'reasoning-start' ? this.inReasoning(block, event) : this.inText(block, event);
  }

  close(block: Block): string {
    const { start } = block;
    switch (start.type) {
      case 'tool-call-start':
        return this.closeTool(block, start);
      case 'reasoning-start':
        return this.closeReasoning(block);
      case 'server-tool':
        return isOwnServerTool(start.part) ? this.serverTool(start.part.raw) : '';
      case 'image': {
        const state = this.state(start.part.opaque);
        const opened = this.openText(block);
        return state + opened + this.delta('text_delta', 'text', imageText(start.part)) + this.stopBlock();
      }
      case 'text-start':
      case 'refusal-start':
      case 'audio-delta':
        return block.open ? this.stopBlock() : '';
    }
  }

  private inText(block: Block, event: WithinBlock): string {
    if (event.type === 'delta') {
      return event.text === '' ? '' : this.openText(block) + this.delta('text_delta', 'text', event.text);
    }
    // State that comes behind words has no place: a block behind the text would be taken for the answer.
    if (event.type === 'opaque') return block.open ? '' : this.state(event.opaque);
    const citation = event.type === 'citation' ? writeCitation(event.citation) : undefined;
    if (citation === undefined) return '';
    const opened = this.openText(block);
    const payload = { type: 'content_block_delta', index: this.index, delta: { type: 'citations_delta', citation } };
    return opened + formatSse(JSON.stringify(payload), 'content_block_delta');
  }

  private openText(block: Block): string {
    return this.open(block, { type: 'text', text: '' });
  }

  private inReasoning(block: Block, event: WithinBlock): string {
    if (event.type === 'opaque') block.opaque = event.opaque;
    if (event.type === 'reasoning-break') return block.open ? this.delta('thinking_delta', 'thinking', '\n\n') : '';
    if (event.type !== 'delta' || event.text === '') return '';
    return this.openThinking(block) + this.delta('thinking_delta', 'thinking', event.text);
  }

  private closeReasoning(block: Block): string {
    const { opaque } = block;
    const state = opaque === undefined || opaque.value === '' ? undefined : opaque;
    if (!block.open) {
      if (state === undefined) return '';
      if (state.kind === 'redacted' || !isBareSignature(state)) return this.whole(redactedBlock(state));
    }
    return this.openThinking(block) + this.delta('signature_delta', 'signature', signatureOf(state)) + this.stopBlock();
  }

  private openThinking(block: Block): string {
    return this.open(block, { type: 'thinking', thinking: '', signature: '' });
  }

  private inTool(block: Block, start: ToolStart, event: WithinBlock): string {
    if (event.type === 'opaque') {
      // Before the call, so that a reader finds it ahead of what it signs.
      if (!block.open && event.opaque.value !== '') return this.whole(redactedBlock(event.opaque));
      block.opaque = event.opaque;
    }
    if (event.type !== 'delta') return '';
    const opened = this.openTool(block, start);
    if (start.kind === 'custom') {
      block.kept.push(event.text);
      return opened;
    }
    return event.text === '' ? opened : opened + this.delta('input_json_delta', 'partial_json', event.text);
  }

  private closeTool(block: Block, start: ToolStart): string {
    const opened = this.openTool(block, start);
    const input = start.kind === 'custom' ? JSON.stringify({ input: block.kept.join('') }) : '';
    const said = input === '' ? opened : opened + this.delta('input_json_delta', 'partial_json', input);
    return said + this.stopBlock() + this.state(block.opaque);
  }

  private openTool(block: Block, { id, name }: ToolStart): string {
    return this.open(block, { type: 'tool_use', id: showId(id), name, input: {} });
  }

  /** Readers put a call's input together from its deltas. */
  private serverTool(raw: JsonObject): string {
    if (raw['type'] !== 'mcp_tool_use') return this.whole(raw);
    return (
      this.startBlock({ ...raw, input: {} }) +
      this.delta('input_json_delta', 'partial_json', JSON.stringify(raw['input'] ?? {})) +
      this.stopBlock()
    );
  }

  /** State of a model as a block of its own. */
  private state(opaque: Opaque | undefined): string {
    return opaque === undefined || opaque.value === '' ? '' : this.whole(redactedBlock(opaque));
  }

  private whole(content: JsonObject): string {
    return this.startBlock(content) + this.stopBlock();
  }

  private open(block: Block, content: JsonObject): string {
    if (block.open) return '';
    block.open = true;
    return this.startBlock(content);
  }

  private startBlock(content: JsonObject): string {
    this.index += 1;
    const event = `{"type":"content_block_start","index":${this.index},"content_block":${JSON.stringify(content)}}`;
    return `event: content_block_start\ndata: ${event}\n\n`;
  }

  private delta(kind: string, field: string, text: string): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.index},"delta":{"type":"${kind}","${field}":${JSON.stringify(text)}}}\n\n`;
  }

  private stopBlock(): string {
    return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${this.index}}\n\n`;
  }
}
