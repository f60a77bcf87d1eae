// The same OpenAI-format requests to an upstream that speaks Anthropic's format, against one that speaks OpenAI's.
import { interleave } from '../rounds.mjs';
import { rowOf } from '../table.mjs';
import { chatVariant, perRequest } from './chat.mjs';
import { perChunk, streamVariant } from './stream.mjs';

const TRANSLATED = 'bench-translated';
/** Models of clouds whose wires differ from every dialect, or have addresses of their own. */
const CLOUDS = { Bedrock: 'bench-bedrock', Vertex: 'bench-vertex' };

export async function translationRows(context) {
  const { targets, gateways, pace } = context;
  const both = (make) => [
    ...targets.map((target) => make(target)),
    ...gateways.map((target) => make(target, TRANSLATED, `${target.name} translated`)),
  ];
  const now = gateways.filter(({ name }) => name === 'now');
  const ofClouds = now.flatMap((target) =>
    Object.entries(CLOUDS).map(([cloud, code]) => chatVariant(target, code, `now ${cloud}`)),
  );
  const chats = await interleave([...both(chatVariant), ...ofClouds], pace, perRequest);
  const chunks = await interleave(
    both((...args) => streamVariant(context, ...args)),
    pace,
    perChunk,
  );
  const columns = { floor: 'floor', before: 'before translated', now: 'now translated' };
  const row = (fields) => rowOf({ columns, number: 'cpu', ...fields });
  return [
    row({ what: 'translated chat, CPU µs/request', samples: chats, base: 'floor' }),
    row({ what: '… against the same dialect', samples: withoutFloor(chats), base: 'now', budget: { most: 1.5 } }),
    ...Object.keys(CLOUDS).map((cloud) =>
      row({
        what: `translated chat by ${cloud} against the same dialect`,
        columns: { ...columns, before: undefined, now: `now ${cloud}` },
        samples: withoutFloor(chats),
        base: 'now',
        budget: { most: 1.5 },
      }),
    ),
    row({ what: 'translated stream, CPU µs/chunk', samples: chunks, digits: 1, base: 'floor' }),
    row({
      what: '… added to the same dialect, µs',
      samples: withoutFloor(chunks),
      digits: 1,
      base: 'now',
      comparison: 'added',
      budget: { most: 15, unit: ' µs' },
    }),
  ];
}

const withoutFloor = ({ floor: _, ...samples }) => samples;
