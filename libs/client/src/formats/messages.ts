/** The messages stream: blocks that open, grow and close. */
import { present } from '../environment.ts';
import type { Schemas } from '../operations.ts';
import type { StreamFormat } from '../stream.ts';

type Event = Schemas['MessageStreamEvent'];
type Message = Schemas['Message'];
type Delta = Schemas['MessageBlockDeltaEvent']['delta'];
type Block = Schemas['MessageBlock'];

export const messageFormat: StreamFormat<Event, Message> = {
  textOf: (event) => (event.type === 'content_block_delta' ? (event.delta.text ?? '') : ''),
  sum() {
    let message: Message | undefined;
    let stopped = false;
    const inputs = new Map<number, string>();
    return {
      add(event) {
        if (event.type === 'message_start') message = structuredClone(event.message);
        if (event.type === 'message_stop') stopped = true;
        if (message === undefined) return;
        if (event.type === 'content_block_start') message.content[event.index] = structuredClone(event.content_block);
        if (event.type === 'content_block_delta') {
          const block = message.content[event.index];
          if (block === undefined) return;
          if (event.delta.partial_json === undefined) grow(block, event.delta);
          else inputs.set(event.index, (inputs.get(event.index) ?? '') + event.delta.partial_json);
        }
        if (event.type === 'content_block_stop') {
          const block = message.content[event.index];
          const input = inputs.get(event.index);
          if (block !== undefined && input !== undefined && input !== '')
            block.input = JSON.parse(input) as Block['input'];
        }
        if (event.type === 'message_delta') {
          Object.assign(message, event.delta);
          Object.assign(message.usage, present(event.usage));
        }
      },
      whole: () => (stopped ? message : undefined),
    };
  },
};

function grow(block: Block, { type, ...pieces }: Delta): void {
  for (const [key, piece] of Object.entries(pieces)) {
    // A citation comes whole and joins a list; a signature comes whole; text and thinking grow.
    if (type === 'citations_delta') block['citations'] = [...((block['citations'] as unknown[] | null) ?? []), piece];
    else if (typeof piece === 'string' && key !== 'signature')
      block[key] = ((block[key] as string | undefined) ?? '') + piece;
    else block[key] = piece;
  }
}
