/** A task for tests of its printed forms. Not part of the product. */
import type { TaskRecord } from '@model-gateway/core';

export const START = 1_790_000_000_000;

/** A video task that was accepted just now. */
export function taskWith(over: Partial<TaskRecord> = {}): TaskRecord {
  return {
    number: 12,
    id: 'task_abc',
    kind: 'video',
    mode: 'live',
    ownerId: 7,
    keyId: 3,
    group: 'default',
    requestId: 'req-1',
    model: 'seedance',
    accountId: 1,
    accountName: 'ark-1',
    vendor: 'ark',
    upstreamModel: 'vendor-seedance',
    state: 'NOT_START',
    progress: 0,
    failReason: '',
    failCode: '',
    ticket: { taskId: 'cgt-1' },
    submitted: true,
    input: { family: 'content', prompt: 'A paper boat' },
    files: [],
    quota: 1000,
    createdAt: START,
    updatedAt: START + 1500,
    submitTime: START,
    deadlineAt: START + 86_400_000,
    checks: 0,
    missing: 0,
    faults: 0,
    cancelRequested: false,
    ...over,
  };
}

/** The same task when its film is there. */
export function finishedTask(over: Partial<TaskRecord> = {}): TaskRecord {
  return taskWith({
    state: 'SUCCESS',
    progress: 100,
    quota: 700,
    startTime: START + 5_999,
    finishTime: START + 65_999,
    payload: { status: 'succeeded' },
    files: [{ url: 'https://vendor.example/1.mp4', mime: 'video/mp4', expiresAt: 1_790_086_400 }],
    ...over,
  });
}
