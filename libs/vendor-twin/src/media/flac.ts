import { BitWriter, crcOf } from './bits.ts';
import { SPEECH_RATE } from './speech.ts';

const BLOCK = 4096;
const headerCheck = crcOf(0x07, 8);
const frameCheck = crcOf(0x8005, 16);

/** A FLAC file of 16-bit mono samples, stored as they are. */
export function flac(samples: Int16Array): Buffer {
  const head = new BitWriter();
  head.write(0x664c6143, 32); // fLaC
  head.write(0x80, 8); // the last block of metadata, of kind STREAMINFO
  head.write(34, 24);
  head.write(BLOCK, 16);
  head.write(BLOCK, 16);
  head.write(0, 48); // frame sizes unknown
  head.write(SPEECH_RATE, 20);
  head.write(0, 3); // one channel
  head.write(15, 5); // sixteen bits
  head.write(samples.length, 36);
  head.write(0, 128); // no checksum of the whole
  const frames: Buffer[] = [head.bytes()];
  for (let start = 0; start < samples.length; start += BLOCK) {
    frames.push(frameOf(samples.subarray(start, start + BLOCK), start / BLOCK));
  }
  return Buffer.concat(frames);
}

function frameOf(samples: Int16Array, number: number): Buffer {
  // Block size: sixteen bits below; rate: 24 kHz; mono, sixteen bits.
  const opening = Buffer.concat([Buffer.from([0xff, 0xf8, 0x77, 0x08]), utf8Number(number), Buffer.alloc(2)]);
  opening.writeUInt16BE(samples.length - 1, opening.length - 2);
  const verbatim = 0x02;
  const data = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, index) => data.writeInt16BE(sample, index * 2));
  const body = Buffer.concat([opening, Buffer.from([headerCheck(opening), verbatim]), data]);
  const end = Buffer.alloc(2);
  end.writeUInt16BE(frameCheck(body));
  return Buffer.concat([body, end]);
}

/** Frame numbers are written the way UTF-8 writes code points. */
function utf8Number(value: number): Buffer {
  return Buffer.from(String.fromCodePoint(value));
}
