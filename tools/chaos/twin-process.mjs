/** The vendor twin as a process of its own: it counts the jobs, whatever becomes of the gateway and of those who ask it. */
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';

const twin = await startVendorTwin({ media: 'tiny', seconds: { video: 1 }, chunkDelayMs: 2 });
process.once('disconnect', () => process.exit(0));
process.on('message', () => process.send({ jobs: twin.ledger.jobs() }));
process.send({
  url: twin.url,
  baseUrls: named((name) => twin.baseUrl(name)),
  credentials: named((name) => twin.credentials(name)),
});

function named(what) {
  return Object.fromEntries(['openai', 'ark', 'tencent-vod', 'minimax'].map((name) => [name, what(name)]));
}
