import { expect, it } from 'vitest';
import { readTraceParent, writeTraceParent } from './request-tracing.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

it('what is read is what is written', () => {
  const header = `00-${TRACE}-${SPAN}-01`;
  const read = readTraceParent(header, 'vendor=1');
  expect(read).toMatchObject({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
  expect(read?.traceState?.serialize()).toBe('vendor=1');
  expect(writeTraceParent(read ?? never())).toBe(header);
});

it.each([
  ['later versions with more behind them', `01-${TRACE}-${SPAN}-01-more`, 1],
  ['flags beside the one that is known', `00-${TRACE}-${SPAN}-ff`, 1],
  ['a trace that is not recorded', `00-${TRACE}-${SPAN}-00`, 0],
])('takes %s', (_, header, flags) => {
  expect(readTraceParent(header)?.traceFlags).toBe(flags);
});

it.each([
  undefined,
  '',
  'nonsense',
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
])('ignores %s', (header) => {
  expect(readTraceParent(header)).toBeUndefined();
});

function never(): never {
  throw new Error('unreachable');
}
