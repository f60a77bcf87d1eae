/**
 * One life of the gateway, its modules loaded ahead: the whole of `gateway serve`, or its task engine alone. It says `loaded` to its parent, waits
 * for `{ crashAt }`, serves, says `{ url }`, and dies at the labelled step or by the parent's hand.
 */
import { flushCompileCache } from 'node:module';

const [, , surface, warmUp] = process.argv;
const start = surface === 'whole' ? await whole() : await engine();

if (warmUp !== undefined) {
  // A process that is killed leaves no compile cache behind: this one does.
  flushCompileCache();
  process.exit(0);
}
process.once('disconnect', () => process.exit(0));
process.once('message', (life) => {
  start(life).catch((error) => {
    console.error(error);
    process.exit(1);
  });
});
// The parent may have gone meanwhile.
if (process.connected) process.send('loaded');

async function whole() {
  const { serve } = await import('../../apps/gateway/src/commands/serve.ts');
  return ({ crashAt }) => {
    const env = { ...process.env, ...(crashAt !== undefined && { GATEWAY_CRASH_AT: crashAt, NODE_ENV: 'test' }) };
    const out = (text) => {
      const url = /listens on (\S+)/.exec(text)?.[1];
      if (url !== undefined) process.send({ url });
    };
    return serve({ env, now: () => Date.now(), out });
  };
}

async function engine() {
  const { serveEngine } = await import('./engine-process.mjs');
  return async ({ crashAt, engine: options }) => process.send({ url: await serveEngine(options, crashAt) });
}
