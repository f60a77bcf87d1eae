/** One chat dialect into another. */
export const TRANSLATION = [
  {
    name: 'result-for-a-call-that-has-one',
    subject: 'translation: tool calls',
    file: 'libs/translate/src/shared/history.ts',
    find: `candidate.part.id === part.callId && candidate.result === undefined`,
    replace: `candidate.part.id === part.callId`,
    tests: ['libs/translate shared/history', 'libs/translate src/'],
  },
  {
    name: 'thinking-eats-the-answer',
    subject: 'translation: thinking',
    file: 'libs/translate/src/anthropic-messages/thinking.ts',
    find: `maxTokens = Math.min(cap, maxTokens + budget);`,
    replace: `maxTokens = Math.min(cap, Math.max(maxTokens, budget));`,
    tests: ['libs/translate anthropic-messages/thinking', 'libs/translate anthropic-messages/encode-request'],
  },
  {
    name: 'cut-answer-told-as-whole',
    subject: 'translation: finish reasons',
    file: 'libs/translate/src/gemini-generate/finish.ts',
    find: `MAX_TOKENS: 'length',`,
    replace: `MAX_TOKENS: 'stop',`,
    tests: ['libs/translate gemini-generate/reply', 'libs/translate gemini-generate/stream'],
  },
  {
    name: 'dropped-setting-not-named',
    subject: 'translation: dropped names',
    file: 'libs/translate/src/anthropic-messages/tools.ts',
    find: `if (tool.strict === true && !strictKnown) dropped.add(at(place, 'strict'), 'this model has no strict tools');
`,
    replace: `
`,
    tests: ['libs/translate anthropic-messages/'],
  },
  {
    name: 'stop-sequence-that-is-complete-last',
    subject: 'translation: stop sequences',
    file: 'libs/translate/src/shared/stop-cutter.ts',
    find: `return later < 0 || (later === 0 && one.index < other.index);`,
    replace: `return later > 0 || (later === 0 && one.index < other.index);`,
    tests: ['libs/translate shared/stop-cutter'],
  },
];
