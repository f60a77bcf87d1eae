/** Runs beside the page: what the microphone hears, as 16-bit samples at 24 kHz, some 40 ms at a time. */
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: unknown): void;

const RATE = 24_000;
const SAMPLES = 960;

class Microphone extends AudioWorkletProcessor {
  #samples = new Int16Array(SAMPLES);
  #filled = 0;
  /** Where the next sample lies, counted from the first of the block; below zero: between it and the block before. */
  #at = 0;
  #last = 0;

  process(inputs: readonly (readonly Float32Array[])[]): boolean {
    const heard = inputs[0]?.[0];
    if (heard === undefined) return true;
    const step = sampleRate / RATE;
    for (; this.#at < heard.length - 1; this.#at += step) {
      const before = Math.floor(this.#at);
      const from = before < 0 ? this.#last : (heard[before] ?? 0);
      const to = heard[before + 1] ?? 0;
      this.#add(from + (to - from) * (this.#at - before));
    }
    this.#at -= heard.length;
    this.#last = heard.at(-1) ?? 0;
    return true;
  }

  #add(value: number): void {
    this.#samples[this.#filled++] = Math.max(-1, Math.min(1, value)) * 32_767;
    if (this.#filled < SAMPLES) return;
    this.port.postMessage(this.#samples.buffer, [this.#samples.buffer]);
    this.#samples = new Int16Array(SAMPLES);
    this.#filled = 0;
  }
}

registerProcessor('microphone', Microphone);
