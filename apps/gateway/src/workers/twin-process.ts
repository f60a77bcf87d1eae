/** The vendor twin of a gateway with workers: one process for all of them, so that its jobs are found whoever asks. */
import { openStore } from '@model-gateway/store';
import { openEmbeddedTwin } from '../server/twin.ts';
import { endWithPrimary } from './end-with-primary.ts';
import type { FromTwin, ToTwin, TwinPlace } from './messages.ts';

/** Waits for its beginning, answers until the primary is gone or says SIGTERM. */
export async function runTwin(own: NodeJS.Process, now: () => number): Promise<void> {
  const send = (message: FromTwin): void => void own.send?.(message, undefined, {}, () => undefined);
  const begun = Promise.withResolvers<Extract<ToTwin, { kind: 'begin' }>>();
  let gatewayUrl = '';
  own.on('message', (heard) => {
    const message = heard as ToTwin;
    if (message.kind === 'begin') begun.resolve(message);
    else gatewayUrl = message.url;
  });
  own.on('SIGINT', () => undefined);
  endWithPrimary(own, () => undefined);
  send({ kind: 'loaded' });

  const { config, port } = await begun.promise;
  await using resources = new AsyncDisposableStack();
  const store = await openStore(config.databaseUrl, { worker: true });
  const steady = port === undefined ? config : { ...config, server: { ...config.server, port: port - 1 } };
  const twin = await openEmbeddedTwin(resources, { config: steady, store, now, mediaUrl: () => gatewayUrl });
  // It was asked for a secret and for keys; the twin keeps nothing there.
  await store.close();
  const place: TwinPlace | undefined = twin === undefined ? undefined : { url: twin.url, standIns: twin.standIns() };
  send({ kind: 'ready', twin: place });
  if (twin === undefined) return;
  await new Promise<void>((resolve) => own.once('SIGTERM', () => resolve()));
}
