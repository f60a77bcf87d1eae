// docs/benchmarks.md: the last table, what its rows mean, how to run it.
import { join } from 'node:path';
import { writePage } from '../write-page.mjs';
import { asMarkdown } from './table.mjs';

const TEXT = `# Benchmarks

Written by \`npm run bench -- --write\`; do not edit by hand.

MEASURED

TABLE

A comparison is the median over the rounds, with the least and the most of them in brackets. "Added" figures are milliseconds more than
the same request takes directly to the upstream. Throughput, latency and the longest wait are only as quiet as the machine was. CPU time per
request is steadier, but it flatters too on a busy machine: a target that has to wait for its core finds more work together when it gets
it, and does it in fewer turns. Believe rows whose "core busy" is near 100 for every target, and compare commits with \`--compare\`.

## What is measured

The gateway is started as \`npm start\` starts it, with \`GATEWAY_CONFIG\` naming a catalogue of one upstream: authentication, validation
against the API document, key limits, the ledger on SQLite and the request log (to a file) are on. CPU time and resident memory
are read from \`/proc\` by process id. The floor is the least that a proxy in Node can do: \`node:http\` in, \`undici\` out, nothing in between, in
a process of its own. All targets take turns in every round of one run.

| Row | Meaning |
| --- | --- |
| chat | 64 connections, each sending its next 2 KB chat when the answer is there; throughput on one core, and CPU time per request |
| requests/s, added | chats sent evenly at a fixed rate, whether or not earlier ones were answered |
| stream | 128 streams; a chunk follows the one before after 1 ms at the earliest and never before that has reached the caller, so that every read finds one chunk, as with vendors (see "chunks per read") |
| first chunk | 40 streams begin in a second, 50 chunks each, 20 ms apart; time from the request to the first chunk |
| translated | an OpenAI-format caller and an upstream that speaks Anthropic's format: the request is translated there, the reply or stream back |
| 16 vectors | 64 connections, each asking for sixteen vectors of 1,536 numbers as base64, as OpenAI's SDK does |
| resident | resident memory of a new process 2 s after its start (with the twin: the built-in catalogue, nothing set), after the chats, then with the streams open |
| idle open stream | what each of them adds to resident memory, after another half minute of quiet |
| 60 MB body | a chat with a picture in a data URL; health checks every 5 ms meanwhile: the slowest waited as long as the event loop was blocked |
| 50 × 60 MB | the most memory resident while fifty such bodies are sent at once, and how many of them were answered with 200 |
| idle realtime session | what each of 500 adds to resident memory: the client's socket, the vendor's and what is between them; after half a minute of quiet, and right after they were opened |
| sound there and back | ten sessions, each sending 20 ms of sound fifty times a second to a vendor that says it back: two audio events through the gateway, less what both take on a socket directly to that vendor |
| lines of a batch | the most memory resident while one process runs a batch of 10,000 chats of 1 KB from an uploaded file, one by one at its vendor |
| two workers | the CPU time of the primary and both workers for each chat, beside one process; they have two cores, one of them shared with the load |
| own files, own calls | what of apps/ and libs/ a chat runs in a warmed gateway until the vendor has its request, counted by V8 in a process that runs the sources; \`--only=path\` names them |
| core busy | how much of its core a target used; where it is well below 100 the load was the limit, and the floor could have done more |

## Run it

\`\`\`sh
npm run bench                            # everything: about twelve minutes
npm run bench -- --quick --only=chat     # one family of rows
npm run bench -- --quick --only=realtime # sessions over WebSockets: memory, delay
npm run bench -- --only=path             # the files and functions of a chat before its vendor
npm run bench -- --compare=main          # the floor, that commit and the working tree in the same rounds
npm run bench -- --profile=/tmp/profiles --only=stream
\`\`\`

It needs Linux. With two cores or more and \`taskset\`, targets run on the first core and the load on the second. Everything
stays on 127.0.0.1.
`;

/** Writes the page of this run. */
export async function writeBenchmarks(root, rows, conditions) {
  const date = new Date().toISOString().slice(0, 10);
  const measured = `${date}: ${conditions}.`;
  await writePage(
    join(root, 'docs/benchmarks.md'),
    TEXT.replace('MEASURED', measured).replace('TABLE', () => asMarkdown(rows)),
  );
}
