import { expect, it } from 'vitest';
import { createMeter } from './meter.ts';

/** The number behind the series that has these labels, among those the exporter adds. */
const valueOf = (page: string, ...labels: readonly string[]): number =>
  Number(
    page
      .split('\n')
      .find((line) => line.startsWith('asked_total{') && labels.every((label) => line.includes(label)))
      ?.split(' ')[1],
  );

it('counts add up by their labels, page after page', async () => {
  const meter = createMeter(() => 0);
  for (let count = 0; count < 3; count++) meter.count('asked', { status: '200', route: '/v1/chat' });
  meter.count('asked', { status: '500', route: '/v1/chat' }, 4);
  const first = await meter.page();
  expect(valueOf(first, 'status="200"', 'route="/v1/chat"')).toBe(3);
  expect(valueOf(first, 'status="500"', 'route="/v1/chat"')).toBe(4);
  meter.count('asked', { status: '200', route: '/v1/chat' });
  expect(valueOf(await meter.page(), 'status="200"', 'route="/v1/chat"')).toBe(4);
  await meter.close();
});

it('labels without number lose no count, and do not make a page without end', async () => {
  const meter = createMeter(() => 0);
  for (let round = 0; round < 2; round++)
    for (let label = 0; label < 5000; label++) meter.count('asked', { route: `/${label}` });
  const page = await meter.page();
  const series = page.split('\n').filter((line) => line.startsWith('asked_total{'));
  expect(series.length).toBeLessThanOrEqual(2000);
  expect(series.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).toBe(10_000);
  await meter.close();
});

it('what is observed is on the page, however little or much it is', async () => {
  const meter = createMeter(() => 0);
  for (let round = 0; round < 2500; round++) meter.observe('took_seconds', 0.02, { route: '/v1/chat' });
  meter.observe('took_seconds', 7, { route: '/v1/chat' });
  const lines = (await meter.page()).split('\n').filter((line) => line.startsWith('took_seconds'));
  const of = (start: string, ...labels: readonly string[]): number =>
    Number(
      lines.find((line) => line.startsWith(start) && labels.every((label) => line.includes(label)))?.split(' ')[1],
    );
  expect(of('took_seconds_count')).toBe(2501);
  expect(of('took_seconds_sum')).toBeCloseTo(57, 6);
  expect(of('took_seconds_bucket', 'le="0.01"')).toBe(0);
  expect(of('took_seconds_bucket', 'le="0.025"')).toBe(2500);
  expect(of('took_seconds_bucket', 'le="10"')).toBe(2501);
  await meter.close();
});

it('a value that is a bound lies within it', async () => {
  const meter = createMeter(() => 0);
  meter.observe('took_seconds', 0.025, { route: '/v1/chat' });
  const buckets = (await meter.page()).split('\n').filter((line) => line.startsWith('took_seconds_bucket'));
  expect(buckets.find((line) => line.includes('le="0.025"'))?.split(' ')[1]).toBe('1');
  await meter.close();
});
