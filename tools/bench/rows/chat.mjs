// Chats that are answered whole, 64 at a time.
import { startClosedLoad } from '../load.mjs';
import { chatBytes } from '../requests.mjs';
import { interleave } from '../rounds.mjs';
import { rowOf } from '../table.mjs';

const CONNECTIONS = 64;

/** Keeps a target busy with chats of one model. */
export function chatVariant(target, model = 'bench-model', name = target.name) {
  const request = chatBytes(target.port, model);
  return {
    name,
    target,
    start: () => startClosedLoad({ port: target.port, connections: CONNECTIONS, bytes: () => request }),
  };
}

export const perRequest = ({ requests, seconds, cpuMicroseconds, ownCpuMicroseconds }) => ({
  perSecond: requests / seconds,
  cpu: cpuMicroseconds / requests,
  targetBusy: (cpuMicroseconds / seconds / 1e6) * 100,
  loadBusy: (ownCpuMicroseconds / seconds / 1e6) * 100,
});

export async function chatRows({ targets, columns, pace }) {
  const samples = await interleave(
    targets.map((target) => chatVariant(target)),
    pace,
    perRequest,
  );
  const row = (fields) => rowOf({ samples, columns, base: 'floor', ...fields });
  return [
    row({ what: 'chat, requests/s', number: 'perSecond', budget: { least: 0.5 } }),
    row({ what: 'chat, CPU µs/request', number: 'cpu', budget: { most: 2 } }),
    row({ what: 'chat, its core busy, %', number: 'targetBusy', base: undefined }),
    row({ what: 'chat, the load’s core busy, %', number: 'loadBusy', base: undefined }),
  ];
}
