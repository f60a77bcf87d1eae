// Sixteen texts as vectors, as OpenAI's SDK asks for them: base64, which the vendor makes. A version that knows no embeddings is left out.
import { startClosedLoad } from '../load.mjs';
import { embeddingBytes } from '../requests.mjs';
import { interleave } from '../rounds.mjs';
import { rowOf } from '../table.mjs';
import { KEY } from '../targets.mjs';
import { perRequest } from './chat.mjs';

const CONNECTIONS = 64;
const MODEL = 'bench-vectors';

export async function embeddingRows({ targets, columns, pace }) {
  const able = await Promise.all(targets.map(knowsVectors));
  const samples = await interleave(targets.filter((_, index) => able[index]).map(embeddingVariant), pace, perRequest);
  const row = (fields) => rowOf({ samples, columns, base: 'floor', ...fields });
  return [
    row({ what: '16 vectors as base64, requests/s', number: 'perSecond' }),
    row({ what: '16 vectors as base64, CPU µs/request', number: 'cpu' }),
  ];
}

function embeddingVariant(target) {
  const request = embeddingBytes(target.port, MODEL);
  return {
    name: target.name,
    target,
    start: () => startClosedLoad({ port: target.port, connections: CONNECTIONS, bytes: () => request }),
  };
}

async function knowsVectors({ name, port }) {
  if (name === 'floor') return true;
  const headers = { authorization: `Bearer ${KEY}` };
  return (await fetch(`http://127.0.0.1:${port}/v1/models/${MODEL}`, { headers })).ok;
}
