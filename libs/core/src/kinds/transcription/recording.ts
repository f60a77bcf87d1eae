/** A caller's file, measured and held against the limits of its model before anything is paid. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { TranscriptionCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import type { Measure } from '../../media-probe/measure.ts';
import type { MediaProbeWorker } from '../../media-probe/media-probe-worker.ts';
import type { RecordingFile } from './form.ts';

const MB = 1024 * 1024;
/** Less is no word: vendors refuse it. */
const SHORTEST_SECONDS = 0.1;
const TYPES = 'flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm';
const MIMES: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mpeg: 'video/mpeg',
};

/** Measures the file, whatever it is. */
export function measureRecording(probe: MediaProbeWorker, { path }: RecordingFile): Promise<Measure> {
  return probe.measure({ kind: 'recording', path });
}

/** The measured file as the model takes it. Throws `invalid_request` or `body_too_large` naming it when it cannot. */
export function recordingFor(
  row: ModelRow,
  file: RecordingFile,
  found: Measure,
): Pick<TranscriptionCreate, 'file' | 'seconds'> {
  const largest = limitOf(row.limits, 'max_bytes');
  if (file.size > largest) {
    throw new GatewayError(
      'body_too_large',
      `file has ${(file.size / MB).toFixed(1)} MB; this model takes at most ${(largest / MB).toFixed(1)} MB`,
      { param: 'file' },
    );
  }
  const seconds = secondsOf(found, row);
  const { format = '' } = found;
  return {
    seconds,
    file: { filename: `audio.${format}`, mime: MIMES[format] ?? found.mime, size: file.size, open: () => file.open() },
  };
}

function secondsOf({ format, mime, seconds, broken }: Measure, { limits }: ModelRow): number {
  if (format === undefined) {
    const seen = mime === '' ? 'its bytes are of no known format' : `by its bytes it is ${mime}`;
    throw wrong(broken === undefined ? `must be ${TYPES}; ${seen}` : broken);
  }
  if (broken !== undefined || seconds === undefined) throw wrong(broken ?? 'cannot be read');
  if (seconds < SHORTEST_SECONDS)
    throw wrong(`is ${rounded(seconds)} seconds long; it must have at least ${SHORTEST_SECONDS}`);
  const longest = limitOf(limits, 'max_seconds');
  if (seconds > longest)
    throw wrong(`is ${rounded(seconds)} seconds long; this model takes at most ${longest}. Send it in parts`);
  return seconds;
}

function limitOf(limits: JsonObject, name: string): number {
  const given = limits[name];
  return typeof given === 'number' ? given : Infinity;
}

function rounded(seconds: number): string {
  return String(Math.round(seconds * 100) / 100);
}

function wrong(message: string): GatewayError {
  return new GatewayError('invalid_request', `file ${message}`, { param: 'file' });
}
