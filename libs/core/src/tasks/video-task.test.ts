import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { StoredMedia, TaskRecord } from '../ports.ts';
import type { Cadence } from './cadence.ts';
import { advance, afterStep, type TaskNews } from './video-task.ts';

const NOW = 1_790_000_000_000;
const HOUR = 3_600_000;
const cadence: Cadence = { pollMs: 5000, window: { from: 36_000, to: 90_000 } };
const file: StoredMedia = { url: 'https://media.example/v.mp4', mime: 'video/mp4' };

const taskWith = (over: Partial<TaskRecord> = {}): TaskRecord => ({
  number: 1,
  id: 'task_1',
  kind: 'video',
  mode: 'live',
  ownerId: 7,
  keyId: 1,
  group: 'default',
  requestId: 'req',
  model: 'm',
  accountId: 1,
  accountName: 'a',
  vendor: 'ark',
  upstreamModel: 'v',
  state: 'NOT_START',
  progress: 0,
  failReason: '',
  failCode: '',
  ticket: { id: 't' },
  submitted: true,
  input: {},
  files: [],
  quota: 1000,
  createdAt: NOW,
  updatedAt: NOW,
  submitTime: NOW,
  deadlineAt: NOW + 24 * HOUR,
  checks: 0,
  missing: 0,
  faults: 0,
  cancelRequested: false,
  ...over,
});

const running = (percent?: number): TaskNews => ({
  state: 'running',
  payload: { status: 'running' },
  ...(percent !== undefined && { percent }),
});
const queued: TaskNews = { state: 'queued', payload: { status: 'queued' } };
const succeeded: TaskNews = { state: 'succeeded', files: [file], payload: { status: 'succeeded' } };
const failed: TaskNews = {
  state: 'failed',
  fault: { code: 'content_refused', message: 'the output was refused', vendorCode: 'OutputSensitive' },
  payload: { status: 'failed' },
};
const missing: TaskNews = { state: 'missing', payload: { error: 'no such task' } };
const unknown: TaskNews = { state: 'unknown', word: 'pondering', payload: { status: 'pondering' } };
const fault: TaskNews = { state: 'fault', code: 'upstream_unavailable', reason: 'the vendor answered 500' };

describe('advance', () => {
  it.each<{ name: string; task?: Partial<TaskRecord>; news: TaskNews; now?: number; patch: object; money: string }>([
    {
      name: 'queued: waits at 10 %',
      news: queued,
      patch: { progress: 10, payload: { status: 'queued' }, checks: 1 },
      money: 'keep',
    },
    {
      name: 'running: begins, at 50 % where the vendor says nothing',
      news: running(),
      now: NOW + 5000,
      patch: { state: 'IN_PROGRESS', progress: 50, startTime: NOW + 5000 },
      money: 'keep',
    },
    { name: 'running at zero per cent', news: running(0), patch: { state: 'IN_PROGRESS', progress: 0 }, money: 'keep' },
    { name: 'a fraction is rounded down', news: running(33.9), patch: { progress: 33 }, money: 'keep' },
    { name: '100 % is not yet the end', news: running(100), patch: { progress: 99 }, money: 'keep' },
    {
      name: 'a lower percentage does not lower progress',
      task: { state: 'IN_PROGRESS', progress: 80 },
      news: running(40),
      patch: { progress: 80 },
      money: 'keep',
    },
    {
      name: 'queued again after it ran: still in progress',
      task: { state: 'IN_PROGRESS', progress: 50, startTime: NOW },
      news: queued,
      patch: { progress: 50 },
      money: 'keep',
    },
    {
      name: 'succeeded: captured',
      task: { state: 'IN_PROGRESS', progress: 50, startTime: NOW + 1 },
      news: succeeded,
      now: NOW + 60_000,
      patch: {
        state: 'SUCCESS',
        progress: 100,
        files: [file],
        payload: { status: 'succeeded' },
        startTime: NOW + 1,
        finishTime: NOW + 60_000,
      },
      money: 'capture',
    },
    {
      name: 'succeeded at the first look: it began, too',
      news: succeeded,
      now: NOW + 9000,
      patch: { state: 'SUCCESS', startTime: NOW + 9000, finishTime: NOW + 9000 },
      money: 'capture',
    },
    {
      name: 'success without a video is a failure, and its payload is not kept to say otherwise',
      news: { state: 'succeeded', files: [], payload: { status: 'succeeded' } },
      patch: { state: 'FAILURE', payload: null, failCode: 'upstream_malformed' },
      money: 'release',
    },
    {
      name: 'failed: the reason with the vendor’s code in front',
      news: failed,
      patch: {
        state: 'FAILURE',
        progress: 100,
        failReason: 'OutputSensitive: the output was refused',
        failCode: 'content_refused',
        payload: { status: 'failed' },
      },
      money: 'release',
    },
    {
      name: 'failed without a word',
      news: { state: 'failed', fault: { code: 'upstream_unavailable', message: '' }, payload: {} },
      patch: { state: 'FAILURE', failReason: 'the vendor gave no reason' },
      money: 'release',
    },
    { name: 'missing once: kept', news: missing, patch: { missing: 1, checks: 1 }, money: 'keep' },
    {
      name: 'missing for the third time: the end',
      task: { missing: 2, payload: { status: 'running' } },
      news: missing,
      patch: { state: 'FAILURE', failReason: 'the vendor no longer knows this task', payload: null },
      money: 'release',
    },
    {
      name: 'an answer in between starts the count anew',
      task: { missing: 2, faults: 4 },
      news: running(),
      patch: { missing: 0, faults: 0 },
      money: 'keep',
    },
    {
      name: 'a fault is no answer: missing is not forgotten',
      task: { missing: 2 },
      news: fault,
      patch: { faults: 1 },
      money: 'keep',
    },
    {
      name: 'an unknown word keeps the state',
      task: { state: 'IN_PROGRESS', progress: 50 },
      news: unknown,
      patch: { payload: { status: 'pondering' }, checks: 1 },
      money: 'keep',
    },
    {
      name: 'past the deadline, still running: the end, without the payload that says running',
      task: { state: 'IN_PROGRESS', progress: 50, payload: { status: 'running' } },
      news: running(),
      now: NOW + 24 * HOUR,
      patch: { state: 'FAILURE', failReason: 'the task was not finished within 24 hours', payload: null },
      money: 'release',
    },
    {
      name: 'past the deadline, with an unknown word: the end',
      news: unknown,
      now: NOW + 25 * HOUR,
      patch: { state: 'FAILURE', failCode: 'upstream_timeout' },
      money: 'release',
    },
    {
      name: 'past the deadline, with a fault: the end',
      news: fault,
      now: NOW + 25 * HOUR,
      patch: { state: 'FAILURE', failCode: 'upstream_timeout' },
      money: 'release',
    },
    {
      name: 'past the deadline, but finished: a success',
      news: succeeded,
      now: NOW + 25 * HOUR,
      patch: { state: 'SUCCESS' },
      money: 'capture',
    },
    {
      name: 'we end it: no payload unless the vendor agrees',
      task: { payload: { status: 'queued' } },
      news: { state: 'ended', code: 'conflict', reason: 'task cancelled' },
      patch: { state: 'FAILURE', failReason: 'task cancelled', payload: null },
      money: 'release',
    },
    {
      name: 'the question is refused for the twentieth time in a row: lost',
      task: { faults: 19 },
      news: { state: 'fault', code: 'invalid_request', reason: 'bad id' },
      patch: { state: 'FAILURE', failReason: 'bad id' },
      money: 'release',
    },
    {
      name: 'a vendor in trouble for ever so long: kept until the deadline',
      task: { faults: 500 },
      news: fault,
      patch: { faults: 501 },
      money: 'keep',
    },
    {
      name: 'a subject succeeds without files',
      task: { kind: 'subject' },
      news: { state: 'succeeded', files: [], payload: {} },
      patch: { state: 'SUCCESS' },
      money: 'capture',
    },
  ])('$name', ({ task, news, now = NOW + 1000, patch, money }) => {
    const step = advance(taskWith(task), news, now, cadence);
    expect(step).toMatchObject({ patch, money });
  });

  it('does not name the state when it stays', () => {
    expect(advance(taskWith({ state: 'IN_PROGRESS' }), running(), NOW, cadence)?.patch).not.toHaveProperty('state');
    expect(advance(taskWith(), queued, NOW, cadence)?.patch).not.toHaveProperty('state');
  });

  it('keeps a retry-after, and doubles its pauses without one', () => {
    const pause = (faults: number, retryAfterSeconds?: number): number => {
      const news = { ...fault, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } as TaskNews;
      return (advance(taskWith({ faults }), news, NOW, cadence)?.patch.nextCheckAt ?? 0) - NOW;
    };
    expect([0, 1, 2, 3, 4, 10].map((faults) => pause(faults))).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    expect(pause(0, 120)).toBe(120_000);
    expect(pause(5, 1)).toBe(60_000);
  });

  it('never looks later than the deadline, nor in the past', () => {
    const task = taskWith({ deadlineAt: NOW + 2000 });
    expect(advance(task, running(), NOW + 500, cadence)?.patch.nextCheckAt).toBe(NOW + 2000);
  });
});

describe('laws', () => {
  const anyNews: fc.Arbitrary<TaskNews> = fc.oneof(
    fc.record({ state: fc.constantFrom('queued' as const, 'running' as const), payload: fc.constant({}) }),
    fc.record({
      state: fc.constant('running' as const),
      percent: fc.double({ min: -50, max: 150, noNaN: true }),
      payload: fc.constant({}),
    }),
    fc.constant(succeeded),
    fc.constant(failed),
    fc.constant(missing),
    fc.constant(unknown),
    fc.constant(fault),
    fc.constant<TaskNews>({ state: 'ended', code: 'conflict', reason: 'task cancelled' }),
  );
  const history = fc.array(fc.tuple(anyNews, fc.integer({ min: 1, max: 3 * HOUR })), { maxLength: 40 });

  it('progress never falls, an end never changes, money moves exactly once and only at the end', () => {
    fc.assert(
      fc.property(history, (events) => {
        let task = taskWith();
        let now = NOW;
        let moved = 0;
        for (const [news, later] of events) {
          now += later;
          const before = task;
          const step = advance(task, news, now, cadence);
          if (step === undefined) {
            expect(['SUCCESS', 'FAILURE']).toContain(before.state);
            continue;
          }
          expect(['NOT_START', 'IN_PROGRESS']).toContain(before.state);
          task = afterStep(task, step, 700, now);
          expect(task.progress).toBeGreaterThanOrEqual(before.progress);
          expect(task.progress).toBeLessThanOrEqual(100);
          expect(before.state === 'IN_PROGRESS' && task.state === 'NOT_START').toBe(false);
          const ended = task.state === 'SUCCESS' || task.state === 'FAILURE';
          expect(step.money !== 'keep').toBe(ended);
          expect(step.money === 'capture').toBe(task.state === 'SUCCESS');
          if (ended) moved++;
          else expect(step.patch.nextCheckAt).toBeGreaterThan(now);
          expect(task.failReason !== '').toBe(task.state === 'FAILURE');
          expect(task.quota).toBe(task.state === 'SUCCESS' ? 700 : task.state === 'FAILURE' ? 0 : 1000);
        }
        expect(moved).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });

  it('whatever is heard, the deadline ends it', () => {
    fc.assert(
      fc.property(anyNews, (news) => {
        const step = advance(taskWith(), news, NOW + 24 * HOUR, cadence);
        expect(['SUCCESS', 'FAILURE']).toContain(step?.patch.state);
      }),
    );
  });
});
