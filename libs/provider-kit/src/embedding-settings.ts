/** What callers say of vectors in one vendor's words, said in another's. */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import type {
  EmbeddingCreate,
  EmbeddingPurpose,
  EmbeddingReply,
  EmbeddingSetting,
  Vector,
  VectorType,
} from './embedding-adapter.ts';
import { oneDimension, vectorOf } from './embedding-inputs.ts';
import { listAt } from './json-path.ts';

/** A member of a vendor's wire, and its value for each word of ours that the vendor has one for. */
export interface EmbeddingWord<Word extends string> {
  readonly name: string;
  readonly values: Readonly<Partial<Record<Word, Json>>>;
}
/** How a vendor calls the settings that it has; those it lacks are absent. */
export interface EmbeddingWords {
  readonly dimensions?: string;
  /** `several`: one call makes vectors of several types, which the member lists. Floats need not be named. */
  readonly types?: EmbeddingWord<VectorType> & { readonly several?: boolean };
  readonly purpose?: EmbeddingWord<EmbeddingPurpose>;
  readonly truncate?: EmbeddingWord<NonNullable<EmbeddingCreate['truncate']>>;
  readonly lateChunking?: string;
  readonly sparse?: EmbeddingWord<NonNullable<EmbeddingCreate['sparse']>>;
}

/** The settings in the vendor's words, and the caller's names of those that it has no word for. Throws `invalid_request` where the vectors would be others without them. */
export function settingsIn(
  words: EmbeddingWords,
  create: EmbeddingCreate,
): { readonly settings: JsonObject; readonly dropped: readonly string[] } {
  const settings: JsonObject = {};
  const dropped: string[] = [];
  const length = oneDimension(create);
  if (length !== undefined) {
    if (words.dimensions === undefined) throw cannot(create, 'dimensions', 'makes vectors of one length');
    settings[words.dimensions] = length;
  }
  Object.assign(settings, typesIn(words, create));
  for (const setting of ['purpose', 'truncate'] as const) {
    const said = create[setting];
    if (said === undefined) continue;
    const word: EmbeddingWord<string> | undefined = words[setting];
    const value = word?.values[said];
    if (word === undefined || value === undefined) dropped.push(nameOf(create, setting));
    else settings[word.name] = value;
  }
  if (create.lateChunking === true) {
    if (words.lateChunking === undefined)
      throw cannot(create, 'lateChunking', 'reads each text alone, not as a piece of one');
    settings[words.lateChunking] = true;
  }
  if (create.sparse !== undefined) {
    if (words.sparse === undefined) throw cannot(create, 'sparse', 'makes no sparse vectors');
    settings[words.sparse.name] = words.sparse.values[create.sparse] ?? null;
  }
  return { settings, dropped };
}

/** The types of numbers that are wanted. */
export function typesOf({ types = ['float'] }: Pick<EmbeddingCreate, 'types'>): readonly VectorType[] {
  return types;
}

function typesIn({ types: word }: EmbeddingWords, create: EmbeddingCreate): JsonObject {
  const types = typesOf(create);
  const made: readonly string[] = ['float', ...Object.keys(word?.values ?? {}).filter((each) => each !== 'float')];
  const stranger = types.find((type) => !made.includes(type));
  if (stranger !== undefined)
    throw cannot(create, 'types', `makes no vectors of ${stranger}, but of ${made.join(', ')}`);
  if (types.length > 1 && word?.several !== true)
    throw cannot(create, 'types', 'makes vectors of one type in a call; ask once for each');
  if (word === undefined) return {};
  const values = types.map((type) => word.values[type] ?? type);
  if (word.several === true) return { [word.name]: values };
  return types[0] === 'float' ? {} : { [word.name]: values[0] ?? null };
}

function nameOf({ names }: EmbeddingCreate, setting: EmbeddingSetting): string {
  return names?.[setting] ?? setting;
}

function cannot(create: EmbeddingCreate, setting: EmbeddingSetting, does: string): GatewayError {
  const param = nameOf(create, setting);
  return new GatewayError('invalid_request', `${param}: this model’s vendor ${does}`, { param });
}

/** How Cohere calls its settings, at home and at others' who serve its models (docs/wire/cohere.md#embeddings). */
export const COHERE_WORDS: EmbeddingWords = {
  dimensions: 'output_dimension',
  types: {
    name: 'embedding_types',
    values: { float: 'float', int8: 'int8', uint8: 'uint8', binary: 'binary', ubinary: 'ubinary' },
    several: true,
  },
  purpose: {
    name: 'input_type',
    values: {
      query: 'search_query',
      question: 'search_query',
      fact: 'search_query',
      code: 'search_query',
      document: 'search_document',
      classification: 'classification',
      clustering: 'clustering',
    },
  },
  truncate: { name: 'truncate', values: { none: 'NONE', start: 'START', end: 'END' } },
};

/** The vectors of an answer of Cohere's, which has a list for each type that was asked for. */
export function cohereVectors(json: Json | undefined, types: readonly VectorType[]): EmbeddingReply {
  const [first = 'float', ...others] = types;
  const vectorsOf = (type: VectorType): readonly Vector[] => listAt(json, 'embeddings', type).map(vectorOf);
  return {
    vectors: vectorsOf(first),
    ...(others.length > 0 && { further: Object.fromEntries(others.map((type) => [type, vectorsOf(type)])) }),
  };
}
