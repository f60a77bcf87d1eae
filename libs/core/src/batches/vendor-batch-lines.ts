/** Lines of a batch at a vendor: the ids that the vendor knows them by, and its answers to them. */
import type { BatchResult } from '@model-gateway/provider-kit';

const ANSWERS = { limit: 100, bytes: 4 * 1024 * 1024 };

/** What a vendor knows a line by: ids of one batch are as long as each other. */
export function lineId(batchId: string, number: number): string {
  return `${batchId}-${String(number).padStart(6, '0')}`;
}

/** The number of a line of this batch; undefined for another's. */
export function numberOf(batchId: string, id: string): number | undefined {
  const number = id.startsWith(`${batchId}-`) ? Number(id.slice(batchId.length + 1)) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

interface Answers {
  readonly answers: { readonly number: number; readonly status: number; readonly body: Uint8Array }[];
  readonly expired: number[];
  readonly cancelled: number[];
}

/** Results in parts that are written together. */
export async function* inAnswers(batchId: string, results: AsyncIterable<BatchResult>): AsyncGenerator<Answers> {
  let part: Answers = { answers: [], expired: [], cancelled: [] };
  let bytes = 0;
  for await (const result of results) {
    const number = numberOf(batchId, result.id);
    if (number === undefined) continue;
    if ('notRun' in result) part[result.notRun].push(number);
    else {
      const body = Buffer.from(JSON.stringify(result.body));
      part.answers.push({ number, status: result.status, body });
      bytes += body.length;
    }
    if (part.answers.length < ANSWERS.limit && bytes < ANSWERS.bytes) continue;
    yield part;
    part = { answers: [], expired: [], cancelled: [] };
    bytes = 0;
  }
  yield part;
}
