/** Streams on their way, and what becomes of those that end otherwise than they should. */
export const STREAMS = [
  {
    name: 'cut-stream-ends-without-a-word',
    subject: 'streams: cut events',
    file: 'libs/core/src/kinds/chat/stream-pipe.ts',
    find: `
    this.write(this.translator.fail(error));
    this.finish(error);`,
    replace: `
    this.finish(error);`,
    tests: ['apps/gateway test/broken-events', 'apps/gateway test/vendor-replies', 'apps/gateway test/chat.test'],
  },
  {
    name: 'usage-of-the-last-chunk-lost',
    subject: 'streams: usage in the last chunk',
    file: 'libs/translate/src/forwarding/stream-observer.ts',
    find: `return isWhole(rest) ? this.look(Buffer.concat([rest, Buffer.from('\\n\\n')])) : '';`,
    replace: `return isWhole(rest) ? Buffer.concat([rest, Buffer.from('\\n\\n')]) : '';`,
    tests: ['libs/translate forwarding/stream-observer'],
  },
  {
    name: 'hang-up-before-the-first-word-is-free',
    subject: 'streams: hang-up billing',
    file: 'libs/core/src/kinds/chat/billed-usage.ts',
    find: `if (isEmpty(delivered) && (failed || !finished) && !cut) return undefined;`,
    replace: `if (isEmpty(delivered) && (failed || !finished)) return undefined;`,
    tests: ['libs/core kinds/chat/billed-usage', 'apps/gateway test/hanging-up'],
  },
  {
    name: 'resumable-stream-loses-what-the-database-refused',
    subject: 'streams: resumable',
    file: 'libs/core/src/streams/recorder.ts',
    find: `this.waiting.unshift(Buffer.from(batch.bytes));
`,
    replace: `
`,
    tests: ['libs/core streams/recorder'],
  },
  {
    name: 'vendor-not-paused-for-a-slow-reader',
    subject: 'streams: backpressure',
    file: 'libs/core/src/kinds/chat/stream-pipe.ts',
    find: `if (sink.write(out)) return;
    this.raw.pause();`,
    replace: `if (sink.write(out)) return;`,
    tests: ['libs/core kinds/chat/stream-pipe'],
  },
];
