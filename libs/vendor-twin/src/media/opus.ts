import { crcOf } from './bits.ts';

const checksum = crcOf(0x04c1_1db7, 32);
const SERIAL = 0x7477_696e;
const FRAME_SECONDS = 0.02;
/** Opus counts in 48 kHz whatever goes in. */
const FRAME_TICKS = 960;
const PRE_SKIP = 312;
/** Twenty milliseconds of silence: there is no Opus encoder here. */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
const PACKETS_PER_PAGE = 50;

/** An Ogg Opus file of silence, of the right length. */
export function silentOpus(seconds: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0);
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(PRE_SKIP, 10);
  head.writeUInt32LE(24_000, 12);
  const tags = Buffer.alloc(20);
  tags.write('OpusTags', 0);
  tags.writeUInt32LE(4, 8);
  tags.write('twin', 12);
  const pages = [page([head], 0, { sequence: 0, flags: 2 }), page([tags], 0, { sequence: 1, flags: 0 })];
  const packets = Math.max(1, Math.ceil(seconds / FRAME_SECONDS));
  for (let start = 0; start < packets; start += PACKETS_PER_PAGE) {
    const count = Math.min(PACKETS_PER_PAGE, packets - start);
    const last = start + count === packets;
    const position = last ? PRE_SKIP + Math.round(seconds * 48_000) : (start + count) * FRAME_TICKS;
    const packed = Array.from({ length: count }, () => SILENCE);
    pages.push(page(packed, position, { sequence: pages.length, flags: last ? 4 : 0 }));
  }
  return Buffer.concat(pages);
}

function page(
  packets: readonly Buffer[],
  position: number,
  { sequence, flags }: { readonly sequence: number; readonly flags: number },
): Buffer {
  const head = Buffer.alloc(27 + packets.length);
  head.write('OggS', 0);
  head.writeUInt8(flags, 5);
  head.writeBigUInt64LE(BigInt(position), 6);
  head.writeUInt32LE(SERIAL, 14);
  head.writeUInt32LE(sequence, 18);
  head.writeUInt8(packets.length, 26);
  packets.forEach((packet, index) => head.writeUInt8(packet.length, 27 + index));
  const whole = Buffer.concat([head, ...packets]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}
