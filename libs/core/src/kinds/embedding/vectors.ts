/** Vectors as numbers and as base64, and whether a vendor's are any. */
import { endianness } from 'node:os';
import type { EmbeddingCreate, Vector } from '@model-gateway/provider-kit';
import { malformedReply } from '@model-gateway/provider-kit';

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Numbers, or letters of base64, that are looked at in one turn of the event loop. */
const NUMBERS_OF_SLICE = 500_000;

/** The numbers of a vector. */
export function floatsOf(vector: Vector): readonly number[] {
  return typeof vector === 'string' ? Array.from(decoded(vector)) : vector;
}

/** A vector as the base64 of 32-bit floats, little-endian. */
export function base64Of(vector: Vector): string {
  if (typeof vector === 'string') return vector;
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return (isLittleEndian ? bytes : bytes.swap32()).toString('base64');
}

/** Throws `upstream_malformed` unless there is one vector for each input, each of the length that was asked for, or all of one length. */
export function checkVectors(vectors: readonly Vector[], input: EmbeddingCreate): void {
  for (const _ of checkingVectors(vectors, input));
}

/** The same, some milliseconds a step: for answers of millions of numbers. */
export function* checkingVectors(
  vectors: readonly Vector[],
  { inputs, dimensions }: EmbeddingCreate,
): Generator<void, void> {
  if (vectors.length !== inputs.length)
    throw malformedReply(`it has ${vectors.length} vectors for ${inputs.length} texts`);
  let length = dimensions;
  let looked = 0;
  for (const [index, vector] of vectors.entries()) {
    const found = lengthOf(vector);
    length ??= found;
    const wanted = inputs[index]?.dimensions ?? length;
    if (found === 0 || found !== wanted)
      throw malformedReply(`it has a vector of ${found} numbers in place of ${wanted}`);
    looked += found;
    if (looked < NUMBERS_OF_SLICE) continue;
    looked = 0;
    yield;
  }
}

/** Whether an answer has so many numbers that what is done with each of them is done in slices. */
export function hasManyNumbers(vectors: readonly Vector[]): boolean {
  return vectors.length * (vectors[0]?.length ?? 0) > NUMBERS_OF_SLICE;
}

const isLittleEndian = endianness() === 'LE';
const NO_NUMBER = 'a vector of it has something that is no number';
/** The bits of a 32-bit float that are all set in what is infinite or no number. */
const EXPONENT = 0x7f800000;
/** Where vectors are looked at: they are many and large, and memory of their own would cost more than the look. */
let scratch = new Int32Array(4096);

/** How many numbers a vector has. Throws where one is none. */
function lengthOf(vector: Vector): number {
  if (typeof vector === 'string') return lengthOfDecoded(vector);
  for (const number of vector) if (!Number.isFinite(number)) throw malformedReply(NO_NUMBER);
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
