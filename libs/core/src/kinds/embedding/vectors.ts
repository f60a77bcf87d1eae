/** Vectors as numbers and as base64, and whether a vendor's are any. */
import { endianness } from 'node:os';
import type { EmbeddingCreate, EmbeddingReply, Vector, VectorType } from '@model-gateway/provider-kit';
import { malformedReply, typesOf } from '@model-gateway/provider-kit';

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Numbers, or letters of base64, that are looked at in one turn of the event loop. */
const NUMBERS_OF_SLICE = 500_000;

/** The numbers of a vector of this type. */
export function numbersOf(vector: Vector, type: VectorType = 'float'): readonly number[] {
  if (typeof vector !== 'string') return vector;
  if (type === 'float') return Array.from(decoded(vector));
  const bytes = Buffer.from(vector, 'base64');
  return isSigned(type) ? Array.from(new Int8Array(bytes)) : Array.from(bytes);
}

/** A vector as base64: of 32-bit floats, little-endian, or of 8-bit whole numbers. */
export function base64Of(vector: Vector, type: VectorType = 'float'): string {
  if (typeof vector === 'string') return vector;
  if (type !== 'float')
    return Buffer.from(isSigned(type) ? Int8Array.from(vector) : Uint8Array.from(vector)).toString('base64');
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return (isLittleEndian ? bytes : bytes.swap32()).toString('base64');
}

function isSigned(type: VectorType): boolean {
  return type === 'int8' || type === 'binary';
}

/** Throws `upstream_malformed` unless there is one vector for each input, each of the length that was asked for, or all of one length; of every type. */
export function checkVectors(reply: Pick<EmbeddingReply, 'vectors' | 'further'>, input: EmbeddingCreate): void {
  for (const _ of checkingVectors(reply, input));
}

/** The same, some milliseconds a step: for answers of millions of numbers. */
export function* checkingVectors(
  { vectors, further = {} }: Pick<EmbeddingReply, 'vectors' | 'further'>,
  input: EmbeddingCreate,
): Generator<void, void> {
  const [first = 'float', ...others] = typesOf(input);
  yield* checkingOfType(vectors, first, input);
  for (const type of others) yield* checkingOfType(further[type] ?? [], type, input);
}

function* checkingOfType(
  vectors: readonly Vector[],
  type: VectorType,
  { inputs, dimensions }: EmbeddingCreate,
): Generator<void, void> {
  if (vectors.length !== inputs.length)
    throw malformedReply(`it has ${vectors.length} vectors for ${inputs.length} texts`);
  const numbersIn = (length: number | undefined): number | undefined =>
    length === undefined ? undefined : PACKED.has(type) ? Math.ceil(length / 8) : length;
  let length = numbersIn(dimensions);
  let looked = 0;
  for (const [index, vector] of vectors.entries()) {
    const found = lengthOf(vector, type);
    length ??= found;
    const wanted = numbersIn(inputs[index]?.dimensions) ?? length;
    if (found === 0 || found !== wanted)
      throw malformedReply(`it has a vector of ${found} numbers in place of ${wanted}`);
    looked += found;
    if (looked < NUMBERS_OF_SLICE) continue;
    looked = 0;
    yield;
  }
}

/** Types that have eight numbers in one. */
const PACKED: ReadonlySet<VectorType> = new Set<VectorType>(['binary', 'ubinary']);

/** Whether an answer has so many numbers, of all its types, that what is done with each of them is done in slices. */
export function hasManyNumbers(vectors: readonly Vector[], further: EmbeddingReply['further'] = {}): boolean {
  const lists: readonly (readonly Vector[])[] = [vectors, ...Object.values(further)];
  return lists.reduce((sum, list) => sum + list.length * (list[0]?.length ?? 0), 0) > NUMBERS_OF_SLICE;
}

const isLittleEndian = endianness() === 'LE';
const NO_NUMBER = 'a vector of it has something that is no number';
/** The bits of a 32-bit float that are all set in what is infinite or no number. */
const EXPONENT = 0x7f800000;
/** Where vectors are looked at: they are many and large, and memory of their own would cost more than the look. */
let scratch = new Int32Array(4096);

/** How many numbers a vector has. Throws where one is none, or none of this type. */
function lengthOf(vector: Vector, type: VectorType): number {
  if (type !== 'float') return lengthOfBytes(vector, type);
  if (typeof vector === 'string') return lengthOfDecoded(vector);
  for (const number of vector) if (!Number.isFinite(number)) throw malformedReply(NO_NUMBER);
  return vector.length;
}

function lengthOfBytes(vector: Vector, type: VectorType): number {
  if (typeof vector === 'string') return Buffer.byteLength(vector, 'base64');
  const least = isSigned(type) ? -128 : 0;
  for (const number of vector)
    if (!Number.isInteger(number) || number < least || number > least + 255)
      throw malformedReply(`a vector of it has something that is no number of ${type}`);
  return vector.length;
}

function lengthOfDecoded(base64: string): number {
  const most = Math.ceil(base64.length / 4) * 3;
  if (most > scratch.byteLength) scratch = new Int32Array(Math.ceil(most / BYTES));
  const bytes = Buffer.from(scratch.buffer);
  const written = bytes.write(base64, 'base64');
  if (written % BYTES !== 0) throw malformedReply('a vector of it is no base64 of 32-bit floats');
  if (!isLittleEndian) bytes.swap32();
  const length = written / BYTES;
  for (let at = 0; at < length; at++) if (((scratch[at] ?? 0) & EXPONENT) === EXPONENT) throw malformedReply(NO_NUMBER);
  return length;
}

function decoded(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64');
  if (!isLittleEndian) bytes.swap32();
  // A copy: small buffers lie in a shared one, where they may begin anywhere.
  const copy = new ArrayBuffer(bytes.length);
  bytes.copy(new Uint8Array(copy));
  return new Float32Array(copy);
}
