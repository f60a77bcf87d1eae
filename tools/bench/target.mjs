// The gateway as a bench target: the very command that users run, `gateway serve`, with a channel for questions. Its log is its standard output.
import { serve } from '../../apps/gateway/src/commands/serve.ts';

const out = (text) => {
  const url = /listens on (\S+)/.exec(text)?.[1];
  if (url !== undefined) process.send({ port: Number(new URL(url).port) });
};
await serve({ env: process.env, now: () => Date.now(), out });
process.on('message', (message) => {
  if (message === 'usage') process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss });
});
