/** Masks of edits: OpenAI's are transparent where the picture is to change, other vendors' are black and white (docs/wire/images.md#masks). */
import { crc32, createInflate, deflate } from 'node:zlib';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { GatewayError } from '@model-gateway/contracts';
import type { MediaLimits, Upstream } from './adapter.ts';
import type { ImageInput } from './image-adapter.ts';
import { readDataUrl, refuseLarge } from './image-form.ts';

/** Of OpenAI's masks; a picture of so many pixels is read row by row. */
const MOST_PIXELS = 4096 * 4096;
const LONGEST_SIDE = 16_384;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Samples of a pixel by the colour type of a PNG that has transparency: grey and RGB with alpha. */
const SAMPLES: Readonly<Record<number, number>> = { 4: 2, 6: 4 };
const PALETTE = 3;
/** Less of it than this is transparent. */
const HALF = 128;

export interface ReadPicture {
  readonly bytes: Uint8Array;
  readonly mime: string;
}

/** A caller's picture in memory. Throws 400 naming its place when it is larger than the vendor takes. */
export async function readPicture(
  image: ImageInput,
  upstream: Pick<Upstream, 'fetchMedia'>,
  limits: Pick<MediaLimits, 'maxBytes' | 'types'>,
): Promise<ReadPicture> {
  if ('url' in image) {
    const embedded = readDataUrl(image.url, image.param);
    if (embedded === undefined) return upstream.fetchMedia(image.url, { ...limits, param: image.param });
    return { mime: embedded.mime, bytes: Buffer.from(embedded.base64, 'base64') };
  }
  refuseLarge(image, limits);
  const pieces: Uint8Array[] = [];
  for await (const piece of image.open()) pieces.push(piece);
  return { mime: image.mime, bytes: Buffer.concat(pieces) };
}

/**
 * The mask as a PNG in black and white, where the picture is to change in `changed`. A mask without transparency is sent as it came: it
 * is the vendor's own form. Throws 400 naming its place when it cannot be read.
 */
export async function maskIn(mask: ImageInput, { bytes, mime }: ReadPicture, changed: Colour): Promise<ReadPicture> {
  const png = pngOf(bytes);
  if (png === undefined) return { bytes, mime };
  const { width, height, depth, samples, interlaced, data } = png;
  if (png.isKeyed)
    throw wrong(mask, 'must be a PNG whose transparency is an alpha channel, not a palette or one colour');
  if (samples === undefined) return { bytes, mime };
  if (interlaced || (depth !== 8 && depth !== 16))
    throw wrong(mask, 'must be a PNG of 8 or 16 bits that is not interlaced');
  if (width * height > MOST_PIXELS || Math.max(width, height) > LONGEST_SIDE)
    throw wrong(mask, `must have at most ${MOST_PIXELS} pixels`);
  const rows = new AlphaRows({ width, height, samples, bytesPerSample: depth / 8, changed });
  try {
    for await (const piece of Readable.from(data).pipe(createInflate())) {
      rows.read(piece as Buffer);
      // What else there is may be without end.
      if (rows.isWhole) break;
    }
  } catch {
    throw wrong(mask, 'is a PNG that cannot be read');
  }
  if (!rows.isWhole) throw wrong(mask, 'is a PNG that ends too early');
  return { mime: 'image/png', bytes: await greyPng(width, height, rows.grey) };
}

export type Colour = 'black' | 'white';

interface Png {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** Undefined without an alpha channel. */
  readonly samples: number | undefined;
  /** Colours of its palette, or one of all, are transparent. */
  readonly isKeyed: boolean;
  readonly interlaced: boolean;
  readonly data: readonly Buffer[];
}

function pngOf(picture: Uint8Array): Png | undefined {
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  if (bytes.byteLength < 33 || !bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const data: Buffer[] = [];
  let isKeyed = false;
  for (let at = 8; at + 12 <= bytes.byteLength; at += 12 + bytes.readUInt32BE(at)) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    if (name === 'IDAT') data.push(content);
    // Of a palette, the alpha of each colour; some tools write it though all are opaque.
    if (name === 'tRNS') isKeyed = bytes[25] !== PALETTE || content.some((alpha) => alpha < HALF);
  }
  return {
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    depth: bytes[24] ?? 0,
    samples: SAMPLES[bytes[25] ?? 0],
    isKeyed,
    interlaced: bytes[28] !== 0,
    data,
  };
}

interface Shape {
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly bytesPerSample: number;
  readonly changed: Colour;
}

/** Takes the pieces of the pixels as they are inflated, and keeps a byte of each pixel. */
class AlphaRows {
  readonly grey: Buffer;
  readonly #shape: Shape;
  readonly #perPixel: number;
  /** The filter's byte, then the pixels. */
  readonly #row: Buffer;
  #above: Buffer;
  #filled = 0;
  #rows = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#perPixel = shape.samples * shape.bytesPerSample;
    this.#row = Buffer.alloc(1 + shape.width * this.#perPixel);
    this.#above = Buffer.alloc(this.#row.byteLength);
    this.grey = Buffer.alloc(shape.width * shape.height);
  }

  get isWhole(): boolean {
    return this.#rows === this.#shape.height;
  }

  read(piece: Buffer): void {
    for (let at = 0; at < piece.byteLength && !this.isWhole;) {
      const copied = piece.copy(this.#row, this.#filled, at);
      at += copied;
      this.#filled += copied;
      if (this.#filled === this.#row.byteLength) this.#endRow();
    }
  }

  #endRow(): void {
    unfilter(this.#row, this.#above, this.#perPixel);
    const { width, samples, bytesPerSample, changed } = this.#shape;
    const transparent = changed === 'white' ? 255 : 0;
    for (let x = 0; x < width; x += 1) {
      // The high byte of the last sample.
      const alpha = this.#row[1 + x * this.#perPixel + (samples - 1) * bytesPerSample] ?? 0;
      this.grey[this.#rows * width + x] = alpha < HALF ? transparent : 255 - transparent;
    }
    this.#row.copy(this.#above);
    this.#rows += 1;
    this.#filled = 0;
  }
}

/** The row as it was before one of PNG's five filters. */
function unfilter(row: Buffer, above: Buffer, perPixel: number): void {
  const filter = row[0] ?? 0;
  if (filter > 4) throw new Error('no such filter');
  for (let at = 1; at < row.byteLength; at += 1) {
    const left = at > perPixel ? (row[at - perPixel] ?? 0) : 0;
    const up = above[at] ?? 0;
    const corner = at > perPixel ? (above[at - perPixel] ?? 0) : 0;
    const guess =
      filter === 1
        ? left
        : filter === 2
          ? up
          : filter === 3
            ? (left + up) >> 1
            : filter === 4
              ? paeth(left, up, corner)
              : 0;
    row[at] = ((row[at] ?? 0) + guess) & 0xff;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

async function greyPng(width: number, height: number, grey: Buffer): Promise<Buffer> {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) grey.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', await promisify(deflate)(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.byteLength, 0);
  head.write(name, 4, 'latin1');
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), data])), 0);
  return Buffer.concat([head, data, end]);
}

function wrong({ param }: ImageInput, complaint: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${complaint}`, { param });
}
