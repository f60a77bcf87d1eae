/**
 * Loaded into the gateway's process before the program (`node --import`): moves its clock and breaks its name resolution as the file
 * CHAOS_CONTROL says, which is read four times a second, and writes down what its memory is each five seconds. The program itself knows nothing of it.
 */
import dns from 'node:dns';
import { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const RealDate = Date;
const realNow = Date.now.bind(Date);
let control = { clockMs: 0, dns: 'works' };

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(realNow() + control.clockMs);
    else super(...parts);
  }
  static now() {
    return realNow() + control.clockMs;
  }
};

const lookup = dns.lookup;
dns.lookup = (host, options, callback) => {
  const done = typeof options === 'function' ? options : callback;
  if (!host.endsWith('.chaos.test')) return lookup(host, options, callback);
  if (control.dns === 'fails')
    return process.nextTick(() =>
      done(
        Object.assign(new Error(`getaddrinfo EAI_AGAIN ${host}`), {
          code: 'EAI_AGAIN',
          syscall: 'getaddrinfo',
          hostname: host,
        }),
      ),
    );
  return lookup('127.0.0.1', options, callback);
};
syncBuiltinESMExports();

const read = () => {
  try {
    control = JSON.parse(readFileSync(process.env.CHAOS_CONTROL, 'utf8'));
  } catch {
    // Half written: the next look finds it whole.
  }
};
read();
setInterval(read, 250).unref();
setInterval(
  () => writeFileSync(`${process.env.CHAOS_CONTROL}.memory`, JSON.stringify(process.memoryUsage())),
  5_000,
).unref();
