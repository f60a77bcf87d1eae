/** The microphone and the speaker of a conversation: 16-bit samples at 24 kHz, in base64. */
import { FaultError } from '../api/fault.ts';
import { t } from '../text/text.ts';
import workletUrl from './microphone-worklet.ts?worker&url';

const RATE = 24_000;
/** So that the second piece is there when the first is over. */
const AHEAD_SECONDS = 0.08;

export interface Microphone {
  isMuted: boolean;
  close(): void;
}

/** Opens the microphone; `heard` is called with each piece of sound that is not muted. Throws what people can do about it. */
export async function openMicrophone(heard: (sound: string) => void): Promise<Microphone> {
  // Absent where the page came over plain HTTP from elsewhere.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (devices === undefined)
    throw talkFault(
      t('Browsers give the microphone only to pages over HTTPS or at localhost. Open the console there.'),
    );
  const stream = await devices
    .getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } })
    .catch((error: unknown) => {
      throw talkFault(microphoneFault(error));
    });
  const context = new AudioContext();
  const microphone: Microphone = {
    isMuted: false,
    close() {
      for (const track of stream.getTracks()) track.stop();
      void context.close();
    },
  };
  try {
    await context.audioWorklet.addModule(workletUrl);
  } catch (error) {
    // Nobody else could: the session has no microphone yet.
    microphone.close();
    throw error;
  }
  const node = new AudioWorkletNode(context, 'microphone', { numberOfOutputs: 0 });
  node.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    if (!microphone.isMuted) heard(base64Of(new Uint8Array(data)));
  };
  context.createMediaStreamSource(stream).connect(node);
  return microphone;
}

/** What keeps people from talking here, in words for them. */
export function talkFault(message: string): FaultError {
  return new FaultError({ message, code: 'talk', status: 0, requestId: undefined });
}

function microphoneFault(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError')
    return t('The browser may not use the microphone. Allow it for this page and start again.');
  if (name === 'NotFoundError') return t('No microphone was found. Connect one and start again.');
  return t('The microphone cannot be used. Another program may have it.');
}

/** Plays pieces one after another, and knows how much of each item was heard. */
export class Speaker {
  readonly #context = new AudioContext();
  readonly #playing = new Set<AudioBufferSourceNode>();
  readonly #changed: (isPlaying: boolean) => void;
  /** When what was given is over, by the context's clock. */
  #end = 0;
  #item: string | undefined;
  #itemBegan = 0;

  constructor(changed: (isPlaying: boolean) => void) {
    this.#changed = changed;
  }

  play(item: string, sound: string): void {
    const bytes = Uint8Array.from(atob(sound), (character) => character.charCodeAt(0));
    const samples = new Int16Array(bytes.buffer, 0, bytes.length >> 1);
    if (samples.length === 0) return;
    const buffer = this.#context.createBuffer(1, samples.length, RATE);
    buffer.copyToChannel(
      Float32Array.from(samples, (sample) => sample / 32_768),
      0,
    );
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#context.destination);
    const begins = Math.max(this.#end, this.#context.currentTime + (this.#playing.size === 0 ? AHEAD_SECONDS : 0));
    source.start(begins);
    this.#end = begins + buffer.duration;
    if (item !== this.#item) {
      this.#item = item;
      this.#itemBegan = begins;
    }
    if (this.#playing.size === 0) this.#changed(true);
    this.#playing.add(source);
    source.onended = () => {
      this.#playing.delete(source);
      if (this.#playing.size === 0) this.#changed(false);
    };
  }

  /** Silence at once. The item that was heard, and how much of it; undefined where nothing was playing. */
  interrupt(): { readonly item: string; readonly ms: number } | undefined {
    if (this.#playing.size === 0 || this.#item === undefined) return undefined;
    const ms = Math.max(0, Math.round((this.#context.currentTime - this.#itemBegan) * 1000));
    for (const source of this.#playing) {
      source.onended = null;
      source.stop();
    }
    this.#playing.clear();
    this.#end = 0;
    this.#changed(false);
    return { item: this.#item, ms };
  }

  close(): void {
    void this.#context.close();
  }
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
