/** What callers say of vectors, in whichever vendor's words they say it. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { EmbeddingCreate, EmbeddingPurpose, EmbeddingSetting, VectorType } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { wrongField } from '../../wrong-field.ts';

type Settings = Pick<
  EmbeddingCreate,
  'dimensions' | 'types' | 'purpose' | 'truncate' | 'lateChunking' | 'sparse' | 'names' | 'encoding' | 'extra'
>;

const TYPES: ReadonlySet<string> = new Set<VectorType>(['float', 'int8', 'uint8', 'binary', 'ubinary']);

/** Voyage's and Cohere's `input_type`, Jina's `task`, DashScope's `text_type`, Google's `taskType`. */
const PURPOSES: Readonly<Record<string, EmbeddingPurpose>> = {
  query: 'query',
  search_query: 'query',
  'retrieval.query': 'query',
  RETRIEVAL_QUERY: 'query',
  document: 'document',
  passage: 'document',
  search_document: 'document',
  'retrieval.passage': 'document',
  RETRIEVAL_DOCUMENT: 'document',
  'text-matching': 'similarity',
  SEMANTIC_SIMILARITY: 'similarity',
  classification: 'classification',
  CLASSIFICATION: 'classification',
  clustering: 'clustering',
  separation: 'clustering',
  CLUSTERING: 'clustering',
  QUESTION_ANSWERING: 'question',
  FACT_VERIFICATION: 'fact',
  CODE_RETRIEVAL_QUERY: 'code',
};
const TRUNCATIONS: ReadonlyMap<Json, NonNullable<EmbeddingCreate['truncate']>> = new Map<
  Json,
  NonNullable<EmbeddingCreate['truncate']>
>([
  [false, 'none'],
  ['NONE', 'none'],
  ['START', 'start'],
  [true, 'end'],
  ['END', 'end'],
]);
/** DashScope's words; `dense` is what there is without one. */
const SPARSE: ReadonlyMap<Json, NonNullable<EmbeddingCreate['sparse']>> = new Map<
  Json,
  NonNullable<EmbeddingCreate['sparse']>
>([
  ['sparse', 'only'],
  ['dense&sparse', 'beside'],
]);
const DIMENSIONS = ['dimensions', 'output_dimension'];
const TYPED = ['embedding_types', 'embedding_type', 'output_dtype', 'encoding_format'];
const MEANT = ['input_type', 'task', 'text_type'];
const CUT = ['truncate', 'truncation'];

/** Reads them out of the members of a body that are neither model nor input; what is none of them stays in `extra`. Throws `invalid_request` naming the field. */
export function settingsOf(members: JsonObject, row: ModelRow): Settings {
  const read = new SettingsReader(members);
  const length = read.take('dimensions', DIMENSIONS, (value) => value);
  const types = read.take('types', TYPED, (value) => typesIn(value));
  const purpose = read.take('purpose', MEANT, purposeOf);
  const truncate = read.take('truncate', CUT, (value) => TRUNCATIONS.get(value));
  const lateChunking = read.take('lateChunking', ['late_chunking'], (value) =>
    typeof value === 'boolean' ? value : undefined,
  );
  const sparse = read.take('sparse', ['output_type'], (value) => SPARSE.get(value));
  const made = types?.types ?? [];
  checkTypes(made, row, read.names.types ?? '');
  return {
    ...dimensionsOf(length, row, read.names.dimensions ?? 'dimensions'),
    ...(made.length > 0 && !(made.length === 1 && made[0] === 'float') && { types: made }),
    ...(purpose !== undefined && { purpose }),
    ...(truncate !== undefined && { truncate }),
    ...(lateChunking !== undefined && { lateChunking }),
    ...(sparse !== undefined && { sparse }),
    names: read.names,
    encoding: read.isBase64(types?.base64 === true) ? 'base64' : 'float',
    extra: read.rest(),
  };
}

/** What a word of some vendor's for what vectors are for means. */
export function purposeOf(word: Json | undefined): EmbeddingPurpose | undefined {
  return typeof word === 'string' && Object.hasOwn(PURPOSES, word) ? PURPOSES[word] : undefined;
}

/** Settings that two names cannot say differently: the vectors would be others. */
const ONE_VALUE: ReadonlySet<EmbeddingSetting> = new Set<EmbeddingSetting>(['dimensions', 'types']);

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

class SettingsReader {
  readonly names: Partial<Record<EmbeddingSetting, string>> = {};
  readonly #given: JsonObject;
  readonly #taken = new Set<string>();

  constructor(members: JsonObject) {
    this.#given = members;
  }

  /** The setting by the first of these names that says it; what nobody understands is left for the vendor. Throws where two names say different things. */
  take<T>(setting: EmbeddingSetting, names: readonly string[], read: (value: Json) => T | undefined): T | undefined {
    let found: T | undefined;
    for (const name of names) {
      const value = this.#given[name];
      if (value === undefined) continue;
      const said = value === null ? undefined : read(value);
      if (value === null || said !== undefined) this.#taken.add(name);
      if (said === undefined) continue;
      if (found !== undefined && ONE_VALUE.has(setting) && name !== 'encoding_format' && !isSame(said, found))
        throw wrongField(name, `says something else than ${String(this.names[setting])}; give one of them`);
      found ??= said;
      this.names[setting] ??= name;
    }
    return found;
  }

  /** What is left for the vendor. */
  rest(): JsonObject {
    return Object.fromEntries(Object.entries(this.#given).filter(([name]) => !this.#taken.has(name)));
  }

  /** How the numbers are written is said apart where their type is said by another name. */
  isBase64(isSaid: boolean): boolean {
    return isSaid || this.#given['encoding_format'] === 'base64';
  }
}

/** One type, or a list of them, with base64 among them as floats that are written so. */
function typesIn(value: Json): { readonly types: readonly VectorType[]; readonly base64: boolean } | undefined {
  const words = Array.isArray(value) ? value : [value];
  if (words.length === 0 || !words.every((word) => word === 'base64' || (typeof word === 'string' && TYPES.has(word))))
    return undefined;
  const types = words.map((word) => (word === 'base64' ? 'float' : (word as VectorType)));
  return { types: [...new Set(types)], base64: words.includes('base64') };
}

/** Refuses what the row says that its model does not make. */
function checkTypes(types: readonly VectorType[], { code, limits }: ModelRow, param: string): void {
  const { embedding_types: made } = limits;
  if (!Array.isArray(made)) return;
  const stranger = types.find((type) => !made.includes(type));
  if (stranger !== undefined)
    throw wrongField(param, `is ${stranger}; ${code} makes vectors of ${made.map(String).join(', ')}`);
}

/** Checks a length against those that the row says. */
export function dimensionsOf(
  dimensions: Json | undefined,
  { code, limits }: ModelRow,
  param: string,
): { dimensions?: number } {
  if (dimensions === undefined || dimensions === null) return {};
  if (typeof dimensions !== 'number' || !Number.isSafeInteger(dimensions) || dimensions < 1)
    throw wrongField(param, 'must be a whole number, 1 or more');
  const { isMade, told } = lengthsOf(limits);
  if (!isMade(dimensions)) throw wrongField(param, `is ${dimensions}; ${code} makes vectors of ${told} numbers`);
  return { dimensions };
}

/** The lengths that a model makes: any where the row does not say. */
function lengthsOf(limits: JsonObject): { readonly isMade: (length: number) => boolean; readonly told: string } {
  const { values, min, max } = isJsonObject(limits['dimensions']) ? limits['dimensions'] : {};
  if (Array.isArray(values))
    return { isMade: (length) => values.includes(length), told: values.map(String).join(', ') };
  const least = typeof min === 'number' ? min : 1;
  const most = typeof max === 'number' ? max : Infinity;
  return { isMade: (length) => length >= least && length <= most, told: `${least} to ${most}` };
}
