/** The thread in which callers' files are taken apart. */
import { parentPort } from 'node:worker_threads';
import { measure, type Measure, type MediaKind } from './measure.ts';
import { measureRecording } from './recording.ts';

export type MeasureOrder =
  | {
      readonly kind: MediaKind;
      readonly text: string;
      /** Where the base64 begins. */
      readonly start: number;
    }
  /** A file on disk: it is not read whole. */
  | { readonly kind: 'recording'; readonly path: string };

parentPort?.on('message', (order: MeasureOrder) => {
  void measured(order).then(
    (result) => parentPort?.postMessage(result),
    () => parentPort?.postMessage({ bytes: 0, mime: '', broken: 'cannot be read' }),
  );
});

function measured(order: MeasureOrder): Promise<Measure> {
  if (order.kind === 'recording') return measureRecording(order.path);
  const { kind, text, start } = order;
  return measure(kind, Buffer.from(start === 0 ? text : text.slice(start), 'base64'));
}
