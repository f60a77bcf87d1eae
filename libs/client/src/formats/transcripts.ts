/** Streams of transcripts. */
import type { Schemas } from '../operations.ts';
import type { StreamFormat } from '../stream.ts';

type TranscriptEvent = Schemas['TranscriptStreamEvent'];

/** The transcript; its text comes in pieces, or in segments that name their speakers. */
export const transcriptFormat: StreamFormat<TranscriptEvent, Schemas['Transcript']> = {
  textOf: (event) => (event.type === 'transcript.text.delta' ? event.delta : ''),
  sum() {
    const segments: Schemas['TranscriptSegment'][] = [];
    let whole: Schemas['Transcript'] | undefined;
    return {
      add(event) {
        if (event.type === 'transcript.text.segment') segments.push(event);
        if (event.type !== 'transcript.text.done') return;
        const { type: _type, ...told } = event;
        whole = segments.length === 0 ? told : { ...told, segments };
      },
      whole: () => whole,
    };
  },
};
