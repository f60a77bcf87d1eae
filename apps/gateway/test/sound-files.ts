/** Recordings of a known length, as bytes. */
const RATE = 8000;

/** A WAV of a tone, 8 bits mono; another `hertz` is another recording. */
export function soundFile(seconds: number, hertz = 440): Buffer {
  return wavOf(Buffer.from(Array.from({ length: Math.round(seconds * RATE) }, (_, at) => tone(at, hertz))));
}

/** A WAV of nothing, 16 bits mono. */
export function silence(seconds: number): Buffer {
  return wavOf(Buffer.alloc(Math.round(seconds * RATE) * 2), 16);
}

function tone(at: number, hertz: number): number {
  return 128 + Math.round(60 * Math.sin((2 * Math.PI * hertz * at) / RATE));
}

/** A RIFF file around samples. */
export function wavOf(samples: Buffer, bits = 8): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE((RATE * bits) / 8, 28);
  head.writeUInt16LE(bits / 8, 32);
  head.writeUInt16LE(bits, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
