/** The generateContent stream: every event is a response whose parts are to be appended. */
import type { Schemas } from '../operations.ts';
import type { StreamFormat } from '../stream.ts';

type Reply = Schemas['GenerateContentReply'];
type Candidate = NonNullable<Reply['candidates']>[number];
type Part = Schemas['GeminiPart'];

export const contentFormat: StreamFormat<Reply, Reply> = {
  textOf: ({ candidates }) =>
    (candidates?.[0]?.content?.parts ?? [])
      .filter(({ thought }) => thought !== true)
      .map(({ text }) => text ?? '')
      .join(''),
  sum() {
    let whole: Reply | undefined;
    const all = new Map<number, Candidate>();
    return {
      add({ candidates = [], ...rest }) {
        whole = { ...whole, ...rest };
        for (const { content, ...more } of candidates) {
          const index = more.index ?? 0;
          const { content: old, ...before } = all.get(index) ?? {};
          const parts = [...(old?.parts ?? [])];
          for (const part of content?.parts ?? []) append(parts, part);
          all.set(index, { ...before, ...more, content: { ...old, ...content, parts } });
        }
      },
      whole() {
        const list = [...all.values()];
        const done = list.some(({ finishReason }) => finishReason !== undefined) || whole?.promptFeedback !== undefined;
        return done ? { candidates: list, ...whole } : undefined;
      },
    };
  },
};

/** Text that goes on is one part; everything else stands alone. */
function append(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  const plain = (each: Part | undefined): boolean =>
    each?.text !== undefined && Object.keys(each).every((key) => key === 'text' || key === 'thought');
  if (last !== undefined && plain(last) && plain(part) && last.thought === part.thought)
    parts[parts.length - 1] = { ...last, text: (last.text ?? '') + (part.text ?? '') };
  else parts.push(part);
}
