// docs/benchmarks.md: the last table, what its rows mean, how to run it.
import { join } from 'node:path';
import { writePage } from '../write-page.mjs';
import { asMarkdown } from './table.mjs';

const TEXT = `# Benchmarks

See what the gateway costs in time, CPU and memory. \`npm run bench -- --write\` writes this page; do not edit it by hand.

MEASURED

TABLE

A comparison is the median over the rounds, with the minimum and the maximum in brackets. "Added" figures are the additional milliseconds compared with the same request directly to the upstream.

Throughput, latency and the longest wait depend on other work on the machine. CPU time per request is steadier, but a busy machine also makes it look better. A target that waits for its core finds more work at once, and does it in fewer turns. Trust rows whose "core busy" is near 100 for every target, and compare commits with \`--compare\`.

## What is measured

The benchmark starts the gateway as \`npm start\` does, with a \`GATEWAY_CONFIG\` of one upstream. Authentication, validation against the API document, key limits, the ledger on SQLite and the request log (to a file) are on. It reads CPU time and resident memory from \`/proc\`, by process id.

The floor is the minimum for a proxy in Node: \`node:http\` in, \`undici\` out and nothing else, in a separate process. All targets take turns in every round of one run.

| Row | Meaning |
| --- | --- |
| chat | 64 connections, each of which sends its next 2 KB chat after the answer; throughput on one core, and CPU time per request |
| requests/s, added | chats at a fixed, even rate, independent of earlier answers |
| stream | 128 streams; a chunk comes at least 1 ms after the one before, and never before that has reached the caller; every read then finds one chunk, as with vendors (see "chunks per read") |
| first chunk | 40 new streams a second, 50 chunks each, 20 ms apart; time from the request to the first chunk |
| three budgets and the cap of its run | the same chat with a key whose organization, owner and users have a budget each, and whose runs have a cap of 32 each; the gateway without them gets the same headers |
| translated | an OpenAI-format caller and an upstream in Anthropic's format: the gateway translates the request, and the reply or stream back. By Bedrock it is Converse, with an API key; by Vertex it is generateContent |
| 16 vectors | 64 connections, each of which requests sixteen vectors of 1,536 numbers as base64, as OpenAI's SDK does |
| resident | resident memory of a new process 2 s after its start (with the twin: the built-in catalogue, no settings); after the chats; with the streams open |
| idle open stream | the resident memory of each stream, after another idle half minute |
| 60 MB body | a chat with a picture in a data URL, with health checks every 5 ms; the slowest check shows how long the event loop was blocked |
| 50 × 60 MB | the peak of resident memory with fifty such bodies at once, and how many got a 200 |
| idle realtime session | the resident memory of each of 500 sessions, with both sockets; after an idle half minute, and just after opening |
| sound there and back | ten sessions, each with 20 ms of sound fifty times a second, to a vendor that echoes it; the time of two audio events, minus their time on a direct socket to the vendor |
| lines of a batch | the peak of resident memory while one process runs a batch of 10,000 chats of 1 KB from an uploaded file, one by one at its vendor |
| two workers | the CPU time of the primary and both workers per chat, compared with one process; they have two cores and share one with the load |
| own files, own calls | the files and functions of apps/ and libs/ that a chat runs until the vendor has its request; V8 counts them in a warm gateway that runs the sources; \`--only=path\` lists them |
| core busy | the share of its core that a target used; well below 100, the load was the limit |

## Run it

\`\`\`sh
npm run bench                            # everything: about twelve minutes
npm run bench -- --quick --only=chat     # one family of rows
npm run bench -- --quick --only=realtime # sessions over WebSockets: memory, delay
npm run bench -- --only=path             # the files and functions of a chat before its vendor
npm run bench -- --compare=main          # the floor, that commit and the working tree in the same rounds
npm run bench -- --profile=/tmp/profiles --only=stream
\`\`\`

The benchmark needs Linux. With two cores or more and \`taskset\`, targets run on the first core and the load on the second. All traffic stays on 127.0.0.1.
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
