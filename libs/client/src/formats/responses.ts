/** The responses stream: its last event carries the whole response. */
import type { Schemas } from '../operations.ts';
import type { StreamFormat } from '../stream.ts';

type Event = Schemas['ResponseStreamEvent'];
type Reply = Schemas['ResponseReply'];

export const responseFormat: StreamFormat<Event, Reply> = {
  textOf: (event) => (event.type === 'response.output_text.delta' ? (event.delta ?? '') : ''),
  sum() {
    let whole: Reply | undefined;
    return {
      add(event) {
        if (/^response\.(completed|incomplete|failed)$/.test(event.type)) whole = event['response'] as Reply;
      },
      whole: () => whole,
    };
  },
};
