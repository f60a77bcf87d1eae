/** A WAV of so many seconds of one value: 8 bits, 8 kHz. */
export function wav(seconds: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + seconds * 8000).fill(90);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('RIFF'));
  view.setUint32(4, bytes.length - 8, true);
  bytes.set(new TextEncoder().encode('WAVEfmt '), 8);
  [16, 0x1_0001, 8000, 8000, 0x8_0001].forEach((value, index) => view.setUint32(16 + 4 * index, value, true));
  bytes.set(new TextEncoder().encode('data'), 36);
  view.setUint32(40, bytes.length - 44, true);
  return bytes;
}
