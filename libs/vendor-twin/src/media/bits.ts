/** Writes numbers of any width, the highest bit first. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #left = 8;
  #byte = 0;

  get length(): number {
    return this.#bytes.length * 8 + (8 - this.#left);
  }

  write(value: number, width: number): void {
    for (let bit = width - 1; bit >= 0; bit -= 1) {
      this.#left -= 1;
      this.#byte |= (Math.floor(value / 2 ** bit) & 1) << this.#left;
      if (this.#left === 0) {
        this.#bytes.push(this.#byte);
        this.#byte = 0;
        this.#left = 8;
      }
    }
  }

  /** The bytes so far, the last one filled up with zeros. */
  bytes(): Buffer {
    return Buffer.from(this.#left === 8 ? this.#bytes : [...this.#bytes, this.#byte]);
  }
}

/** A cyclic redundancy check, highest bit first, starting at zero: made once for its polynomial, fast for every use. */
export function crcOf(polynomial: number, width: 8 | 16 | 32): (bytes: Uint8Array) => number {
  const shift = 32 - width;
  const high = polynomial << shift;
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ high : sum << 1;
    return sum;
  });
  return (bytes) => {
    let sum = 0;
    for (const byte of bytes) sum = (sum << 8) ^ (table[(sum >>> 24) ^ byte] ?? 0);
    return sum >>> shift;
  };
}
