import { SPEECH_RATE, type Note } from './speech.ts';
import { BitWriter } from './bits.ts';

/** 64 kbit/s at 24 kHz: MPEG-2 layer III, one granule of 576 samples and exactly 192 bytes a frame. */
const FRAME_SAMPLES = 576;
const FRAME_BYTES = 192;
const LINE_HERTZ = SPEECH_RATE / 2 / FRAME_SAMPLES;
const LINES_PER_BAND = 18;
/** How loud a spectral line of one is; 210 would be full scale for a value of one. */
const GAIN = 196;
/** Signs of a line over four frames that make it a steady tone: for even and for odd lines of a band. */
const SIGNS = [
  [0, 1, 1, 0],
  [0, 0, 1, 1],
] as const;

/**
 * An mp3 of plain tones. There is no encoder: every note is written straight into the spectrum as a few lines of value one, which the
 * format can say in its simplest code (no scale factors, no big values, table B).
 */
export function mp3(notes: readonly Note[]): Buffer {
  const samples = notes.reduce((sum, note) => sum + note.samples, 0);
  const frames = Math.max(1, Math.ceil(samples / FRAME_SAMPLES));
  const made: Buffer[] = [];
  let index = 0;
  let end = notes[0]?.samples ?? 0;
  for (let frame = 0; frame < frames; frame += 1) {
    const middle = (frame + 0.5) * FRAME_SAMPLES;
    while (middle >= end && index < notes.length - 1) {
      index += 1;
      end += notes[index]?.samples ?? 0;
    }
    made.push(frameOf(notes[index]?.hertz ?? 0, frame));
  }
  return Buffer.concat(made);
}

function frameOf(hertz: number, frame: number): Buffer {
  const spectrum = new BitWriter();
  if (hertz > 0) writeLines(spectrum, hertz, frame);
  const bits = new BitWriter();
  // Sync, MPEG-2, layer III, no checksum; 64 kbit/s, 24 kHz; mono.
  bits.write(0xfff3_84c4, 32);
  bits.write(0, 9); // no bit reservoir
  bits.write(spectrum.length, 12);
  bits.write(0, 9); // no big values
  bits.write(GAIN, 8);
  bits.write(0, 9 + 1 + 15 + 7 + 1); // no scale factors, long windows, no tables
  bits.write(1, 1); // table B
  return Buffer.concat([bits.bytes(), spectrum.bytes()], FRAME_BYTES);
}

/** The tone and its first overtone, as quadruples of lines from the bottom up. */
function writeLines(bits: BitWriter, hertz: number, frame: number): void {
  const lines = new Set([hertz, hertz * 2, hertz * 3].map((tone) => Math.round(tone / LINE_HERTZ - 0.5)));
  const top = Math.min(FRAME_SAMPLES - 4, Math.max(...lines));
  for (let quad = 0; quad <= top; quad += 4) {
    const lit = [0, 1, 2, 3].map((offset) => lines.has(quad + offset));
    // Table B is the four values turned round, then a sign for each that is not zero.
    bits.write(
      lit.reduce((code, on) => code * 2 + (on ? 0 : 1), 0),
      4,
    );
    lit.forEach((on, offset) => {
      const parity = ((quad + offset) % LINES_PER_BAND) % 2 === 0 ? 0 : 1;
      if (on) bits.write(SIGNS[parity][frame % 4] ?? 0, 1);
    });
  }
}
