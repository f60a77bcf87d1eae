/** A request on its way in: who asks, what the body says, what may be asked, and how errors are told. */
export const REQUESTS = [
  {
    name: 'task-of-another-owner-found',
    subject: 'isolation: owner',
    file: 'libs/store/src/tasks.ts',
    find: `find: async ({ ownerId, mode }, id) => {
      const row = await database.db
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)`,
    replace: `find: async ({ mode }, id) => {
      const row = await database.db
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', id)`,
    tests: ['libs/store src/tasks', 'apps/gateway test/isolation'],
  },
  {
    name: 'tasks-of-the-other-mode-listed',
    subject: 'isolation: mode',
    file: 'libs/store/src/tasks.ts',
    find: `
      .where('mode', '=', tenant.mode)
      // A tenant`,
    replace: `
      // A tenant`,
    tests: ['libs/store src/tasks', 'apps/gateway test/isolation'],
  },
  {
    name: 'vendor-id-of-another-taken',
    subject: 'isolation: foreign ids',
    file: 'libs/core/src/kinds/chat/vendor-state.ts',
    find: `return ownerId === tenant.ownerId && mode === tenant.mode;`,
    replace: `return ownerId === tenant.ownerId || mode === tenant.mode;`,
    tests: ['libs/core kinds/chat/vendor-state', 'apps/gateway test/vendor-ids'],
  },
  {
    name: 'link-to-a-video-opens-a-file',
    subject: 'isolation: signed links',
    file: 'libs/core/src/tasks/links.ts',
    find: "(kind: LinkKind, id: string, expiresAt: number): string =>\n    createHmac('sha256', secret).update(`${kind}\\n${id}",
    replace:
      "(_kind: LinkKind, id: string, expiresAt: number): string =>\n    createHmac('sha256', secret).update(`${id}",
    tests: ['libs/core tasks/links', 'libs/core tasks/content.test'],
  },
  {
    name: 'body-one-level-too-deep',
    subject: 'parsing: depth',
    file: 'apps/gateway/src/http/steps/parse-json.ts',
    find: `if (open.length >= limits.deepest) throw tooDeep(limits.deepest);`,
    replace: `if (open.length > limits.deepest) throw tooDeep(limits.deepest);`,
    tests: ['apps/gateway steps/parse-json', 'apps/gateway test/body-limits'],
  },
  {
    name: 'prototype-set-by-a-body',
    subject: 'parsing: prototype pollution',
    file: 'apps/gateway/src/http/steps/parse-json.ts',
    find: `if (name === '__proto__')`,
    replace: `if (name === '__proto')`,
    tests: ['apps/gateway steps/parse-json'],
  },
  {
    name: 'member-twice-taken',
    subject: 'parsing: duplicate members',
    file: 'apps/gateway/src/http/steps/parse-json.ts',
    find: `if (Object.hasOwn(into, name)) throw twice(name);`,
    replace: `if (Object.hasOwn(into, name) && into[name] === value) throw twice(name);`,
    tests: ['apps/gateway steps/parse-json', 'apps/gateway test/members-twice'],
  },
  {
    name: 'chunked-body-without-bounds',
    subject: 'parsing: sizes',
    file: 'apps/gateway/src/http/steps/read-body.ts',
    find: `const refused = size > limit ? tooLarge(limit) : hold.take(chunk.length);`,
    replace: `const refused = chunk.length > limit ? tooLarge(limit) : hold.take(chunk.length);`,
    tests: ['apps/gateway test/body-limits', 'apps/gateway test/early-answers'],
  },
  {
    name: 'cut-form-field-taken',
    subject: 'parsing: multipart',
    file: 'apps/gateway/src/http/form.ts',
    find: '(name: string, value: string, _nameCut: boolean, valueCut: boolean) => {\n    if (valueCut)',
    replace: '(name: string, value: string, valueCut: boolean) => {\n    if (valueCut)',
    tests: [
      'apps/gateway test/transcription-bad-input',
      'apps/gateway test/media-input',
      'apps/gateway test/body-limits',
    ],
  },
  {
    name: 'large-file-of-a-form-cut-and-taken',
    subject: 'parsing: multipart',
    file: 'apps/gateway/src/http/form.ts',
    find: "stream.on('limit', () => fail(tooLarge(`the file ${name}`, limits.largestFile, name)));",
    replace: "stream.on('limit', () => tooLarge(`the file ${name}`, limits.largestFile, name));",
    tests: [
      'apps/gateway test/transcription-bad-input',
      'apps/gateway test/media-input',
      'apps/gateway test/body-limits',
    ],
  },
  {
    name: 'revoked-key-remembered',
    subject: 'keys: revocation',
    file: 'libs/core/src/keys/api-keys.ts',
    find: `if (asked === this.generation) this.remember(kept, key);`,
    replace: `if (asked <= this.generation) this.remember(kept, key);`,
    tests: ['libs/core keys/', 'apps/gateway test/revocation'],
  },
  {
    name: 'expired-key-let-in',
    subject: 'keys: expiry',
    file: 'libs/core/src/keys/api-keys.ts',
    find: `key.expiresAt !== undefined && key.expiresAt <= now)`,
    replace: `key.expiresAt !== undefined && key.expiresAt * 1000 <= now)`,
    tests: ['libs/core keys/', 'apps/gateway test/admin-keys'],
  },
  {
    name: 'alias-passes-the-list-of-models',
    subject: 'keys: model lists',
    file: 'libs/core/src/keys/api-keys.ts',
    find: `mayUseModel(key, this.codeOf(model))`,
    replace: `mayUseModel(key, model)`,
    tests: ['libs/core keys/', 'apps/gateway test/aliases'],
  },
  {
    name: 'range-of-ipv4-refuses-mapped-addresses',
    subject: 'keys: IP ranges',
    file: 'libs/core/src/keys/api-keys.ts',
    find: `ipaddr.process(address)`,
    replace: `ipaddr.parse(address)`,
    tests: ['libs/core keys/', 'apps/gateway test/admin-keys'],
  },
  {
    name: 'failed-request-keeps-its-place',
    subject: 'limits',
    file: 'apps/gateway/src/http/steps/limits.ts',
    find: `if (late === undefined) release();`,
    replace: `if (late === undefined) return;`,
    tests: ['apps/gateway steps/limits'],
  },
  {
    name: 'minute-forgotten-early',
    subject: 'limits',
    file: 'libs/core/src/limits/window.ts',
    find: `(countedAt[slot] ?? 0) + WINDOW_MS <= now;`,
    replace: `bucket * BUCKET_MS + WINDOW_MS <= now;`,
    tests: ['libs/core limits/'],
  },
  {
    name: 'same-key-at-another-address-replayed',
    subject: 'idempotency',
    file: 'apps/gateway/src/http/steps/idempotency.ts',
    find: '\n        .update(`${request.method} ${request.url}\\n`)',
    replace: '',
    tests: ['apps/gateway test/idempotency.test', 'apps/gateway test/admin-idempotency'],
  },
  {
    name: 'answer-of-another-owner-from-the-cache',
    subject: 'cache',
    file: 'libs/core/src/kinds/chat/cached.ts',
    find: `
        key.ownerId,
        mode,
`,
    replace: `
        mode,
`,
    tests: ['apps/gateway test/response-cache'],
  },
  {
    name: 'secret-not-held-back-between-chunks',
    subject: 'guardrails',
    file: 'libs/core/src/guardrails/guarded-stream.ts',
    find: `let to = isEnd ? text.length : Math.min(scanner.holdFrom(text, lane.isJson), text.length);`,
    replace: `let to = isEnd ? text.length : Math.max(scanner.holdFrom(text, lane.isJson), text.length);`,
    tests: ['libs/core guardrails/guarded-stream', 'apps/gateway test/guardrails.test'],
  },
  {
    name: 'empty-purse-told-to-try-again',
    subject: 'errors per dialect',
    file: 'apps/gateway/src/http/steps/print-error.ts',
    find: `error.code === 'insufficient_quota' ||`,
    replace: `error.code === 'rate_limited' ||`,
    tests: ['apps/gateway steps/print-error'],
  },
];
