/** Videos and whatever else takes longer than a request. */
export const TASKS = [
  {
    name: 'lease-renewed-though-another-has-it',
    subject: 'tasks: lease',
    file: 'libs/store/src/task-leases.ts',
    find: `
    .where('due_at', '=', from)`,
    replace: `
    .where('due_at', '>=', from)`,
    tests: ['libs/store src/task-claims', 'libs/store src/tasks', 'libs/core tasks/leases'],
  },
  {
    name: 'claim-does-not-look-again',
    subject: 'tasks: lease',
    file: 'libs/store/src/task-claims.ts',
    find: `
    .where('number', 'in', numbers)
    .where('due_at', '<=', claim.now);`,
    replace: `
    .where('number', 'in', numbers);`,
    tests: ['libs/store src/task-claims', 'libs/core tasks/scale'],
  },
  {
    name: 'second-settler-tells-it-again',
    subject: 'tasks: compare-and-set',
    file: 'libs/core/src/tasks/settle.ts',
    find: `if (!isFirst) return false;`,
    replace: `if (!isFirst && !ends) return false;`,
    tests: ['libs/core tasks/settle', 'libs/core tasks/engine', 'libs/core tasks/poller'],
  },
  {
    name: 'older-turn-still-writes',
    subject: 'tasks: compare-and-set',
    file: 'libs/store/src/task-advance.ts',
    find: `patch.ifTurn !== undefined && patch.ifTurn !== task.queue_turn`,
    replace: `patch.ifTurn !== undefined && patch.ifTurn > task.queue_turn`,
    tests: ['libs/store src/task-advance', 'libs/store src/job-queue', 'libs/core tasks/job-turns'],
  },
  {
    name: 'repeated-though-the-vendor-may-have-it',
    subject: 'tasks: dedupe',
    file: 'libs/core/src/tasks/idempotency.ts',
    find: `if (task.submitted) throw new GatewayError('submission_unknown', task.failReason);`,
    replace: `if (task.ticket !== undefined) throw new GatewayError('submission_unknown', task.failReason);`,
    tests: ['libs/core tasks/idempotency'],
  },
  {
    name: 'unknown-state-outlives-the-deadline',
    subject: 'tasks: deadline',
    file: 'libs/core/src/tasks/video-task.ts',
    find: `return late(task, now) ?? waiting(task, { payload: news.payload, missing: 0, faults: 0 }, now, cadence);`,
    replace: `return waiting(task, { payload: news.payload, missing: 0, faults: 0 }, now, cadence);`,
    tests: ['libs/core tasks/video-task'],
  },
  {
    name: 'progress-falls',
    subject: 'tasks: progress never falls',
    file: 'libs/store/src/task-advance.ts',
    find: `const progress = Math.max(task.progress, patch.progress ?? 0);`,
    replace: `const progress = patch.progress ?? task.progress;`,
    tests: ['libs/store src/task-advance', 'libs/store src/tasks'],
  },
  {
    name: 'webhook-secret-not-decoded',
    subject: 'tasks: webhook signature',
    file: 'libs/core/src/tasks/webhooks.ts',
    find: `const key = Buffer.from(text, 'base64');`,
    replace: `const key = Buffer.from(text, 'utf8');`,
    tests: ['libs/core tasks/webhooks'],
  },
];
