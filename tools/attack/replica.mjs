// One of several replicas: the gateway as `serve` starts it, with a vendor twin that all of them have (ATTACK_TWIN, its address and stand-ins as JSON).
import { readConfig, startServer } from '../../apps/gateway/src/index.ts';

const { url, standIns } = JSON.parse(process.env.ATTACK_TWIN ?? '{}');
const server = await startServer({
  config: readConfig(process.env),
  now: () => Date.now(),
  ...(url !== undefined && {
    twin: { url, standInFor: (vendor, wire) => standIns.find((one) => one.vendor === vendor && one.wire === wire) },
  }),
});
console.log(`the replica listens on ${server.url}`);
