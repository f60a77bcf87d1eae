/** The thread in which callers' files are taken apart. */
import { parentPort } from 'node:worker_threads';
import { measure, type MediaKind } from './measure.ts';

export interface MeasureOrder {
  readonly kind: MediaKind;
  readonly text: string;
  /** Where the base64 begins. */
  readonly start: number;
}

parentPort?.on('message', ({ kind, text, start }: MeasureOrder) => {
  void measure(kind, Buffer.from(start === 0 ? text : text.slice(start), 'base64')).then(
    (result) => parentPort?.postMessage(result),
    () => parentPort?.postMessage({ bytes: 0, mime: '', broken: 'cannot be read' }),
  );
});
