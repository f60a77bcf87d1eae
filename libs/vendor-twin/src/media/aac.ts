import { AdtsOutputFormat, AudioSample, AudioSampleSource, BufferTarget, Output, Quality } from 'mediabunny';
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { SPEECH_RATE } from './speech.ts';

let ready = false;

/** A source of AAC, its encoder made known once in this thread. */
export function aacSource(): AudioSampleSource {
  if (!ready) registerAacEncoder();
  ready = true;
  return new AudioSampleSource({ codec: 'aac', quality: new Quality('medium') });
}

/** Speech as raw AAC frames (ADTS). */
export async function aac(samples: Int16Array): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new AdtsOutputFormat(), target });
  const source = aacSource();
  output.addAudioTrack(source);
  await output.start();
  const sample = new AudioSample({
    data: Float32Array.from(samples, (value) => value / 32_768),
    format: 'f32',
    numberOfChannels: 1,
    sampleRate: SPEECH_RATE,
    timestamp: 0,
  });
  await source.add(sample);
  sample.close();
  source.close();
  await output.finalize();
  if (target.buffer === null) throw new Error('the file was not written');
  return new Uint8Array(target.buffer);
}
