import type { Json } from '@model-gateway/contracts';
import {
  EMBEDDING_QUIRKS,
  openAiEmbeddings,
  readDataUrl,
  refuseMedia,
  type EmbeddingInput,
  type EmbeddingPurpose,
} from '@model-gateway/provider-kit';

const MOST_INPUTS = 2048;

export const quirks = EMBEDDING_QUIRKS;

const TASKS = { query: 'retrieval.query', document: 'retrieval.passage', similarity: 'text-matching' };
const SEARCHES = { question: TASKS.query, fact: TASKS.query };

/** What models of a generation can be told that vectors are for. */
function tasksOf(model: string): Readonly<Partial<Record<EmbeddingPurpose, string>>> {
  if (model.includes('-v3'))
    return { ...TASKS, ...SEARCHES, classification: 'classification', clustering: 'separation' };
  if (model.includes('-v4')) return { ...TASKS, ...SEARCHES, code: 'code.query' };
  return /-v5/.test(model) ? { ...TASKS, ...SEARCHES, classification: 'classification', clustering: 'clustering' } : {};
}

/** `POST /embeddings` (docs/wire/jina.md#embeddings). */
export const embeddings = openAiEmbeddings({
  path: '/embeddings',
  mostInputs: () => MOST_INPUTS,
  takes: { tokens: false, base64: true, user: false },
  words: (model) => ({
    dimensions: 'dimensions',
    types: { name: 'embedding_type', values: { float: 'float', binary: 'binary', ubinary: 'ubinary' } },
    purpose: { name: 'task', values: tasksOf(model) },
    truncate: { name: 'truncate', values: { none: false, end: true } },
    lateChunking: 'late_chunking',
  }),
  base64: { embedding_type: 'base64' },
  namesFloats: false,
  inputOf,
});

/** A text, or a picture by its address or as base64: one vector has one of them. */
function inputOf(input: EmbeddingInput): Json {
  const { parts, body, content, media = [], param } = input;
  const [part, ...more] = parts ?? [];
  if (part === undefined) return media.length > 0 ? (body ?? null) : (content as string);
  if (more.length > 0) refuseMedia({ inputs: [input] });
  if ('text' in part) return part.text;
  return { image: readDataUrl(part.image, param)?.base64 ?? part.image };
}
