/** Sends a conversation and lets its answer grow. */
import { sendWell } from '../api/connection.ts';
import { faultOf, FaultError } from '../api/fault.ts';
import type { Schemas } from '../api/api.ts';
import { EMPTY_ANSWER, priceOf, withChunk, withWhole, type Answer, type Whole } from './chat-turns.ts';
import type { Model } from './models.ts';
import { readEvents } from './read-events.ts';

type Chunk = Schemas['ChatCompletionChunk'];

/** Calls `onAnswer` as the answer grows; what went wrong becomes a part of it. */
export async function runChat(
  body: Readonly<Record<string, unknown>>,
  model: Model | undefined,
  signal: AbortSignal,
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  const began = performance.now();
  let answer: Answer = { ...EMPTY_ANSWER, ...(model?.simulated === true && { isSimulated: true }) };
  const grow = (next: Answer): void => {
    answer = next;
    onAnswer(answer);
  };
  grow(answer);
  try {
    const response = await sendWell('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const dropped = response.headers.get('x-gateway-dropped') ?? undefined;
    grow({
      ...answer,
      stats: { ...(requestId !== undefined && { requestId }), ...(dropped !== undefined && { dropped }) },
    });
    if (response.headers.get('content-type')?.startsWith('application/json') === true) {
      grow(withWhole(answer, (await response.json()) as Whole));
      grow(ended(answer, model, began));
      return;
    }
    await readEvents(response, ({ data }) => {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data) as Chunk & { error?: { message?: string; code?: string } };
      if (chunk.error !== undefined) {
        const { message = '', code = 'internal' } = chunk.error;
        throw new FaultError({ message, code, status: 200, requestId });
      }
      const next = withChunk(answer, chunk);
      const hasBegun =
        answer.stats.firstMs === undefined && (next.text !== '' || next.reasoning !== '' || next.calls.length > 0);
      grow(hasBegun ? { ...next, stats: { ...next.stats, firstMs: performance.now() - began } } : next);
    });
    grow(ended(answer, model, began));
  } catch (error) {
    const last = ended(answer, model, began);
    grow(signal.aborted ? last : { ...last, error: faultOf(error) });
  }
}

function ended(answer: Answer, model: Model | undefined, began: number): Answer {
  const usd = priceOf(model, answer.stats);
  return { ...answer, stats: { ...answer.stats, ms: performance.now() - began, ...(usd !== undefined && { usd }) } };
}
