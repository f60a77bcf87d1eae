/** What `tools/prose.mjs` checks. The rules for people are in CONTRIBUTING.md under "Words". */

export const CHECKED = ['README.md', 'CONTRIBUTING.md', 'docs'];

/** Generated pages, the requirements as they were given, and pages on vendors' wires and on decisions, which quote and note. */
export const NOT_CHECKED = [
  'docs/service.md',
  'docs/chat-matrix.md',
  'docs/sdk-methods.md',
  'docs/guides/settings.md',
  'docs/decisions/',
  'docs/wire/',
];

/** Remove a page from this list when you have rewritten it. No page is ever added. */
export const NOT_YET_REWRITTEN = [
  'CONTRIBUTING.md',
  'README.md',
  'docs/architecture.md',
  'docs/benchmarks.md',
  'docs/faults.md',
  'docs/guides/batches.md',
  'docs/guides/chat.md',
  'docs/guides/clouds.md',
  'docs/guides/commands.md',
  'docs/guides/configuration.md',
  'docs/guides/console.md',
  'docs/guides/deploy.md',
  'docs/guides/embeddings.md',
  'docs/guides/errors.md',
  'docs/guides/fidelity.md',
  'docs/guides/files.md',
  'docs/guides/guardrails.md',
  'docs/guides/idempotency.md',
  'docs/guides/images.md',
  'docs/guides/limits.md',
  'docs/guides/mcp.md',
  'docs/guides/migrating-litellm.md',
  'docs/guides/migrating-new-api.md',
  'docs/guides/migrating-openrouter.md',
  'docs/guides/migrating.md',
  'docs/guides/models.md',
  'docs/guides/moderation.md',
  'docs/guides/quick-start.md',
  'docs/guides/routing.md',
  'docs/index.md',
  'docs/security.md',
  'docs/works-with.md',
];

export const LIMITS = {
  /** Words of a sentence; code does not count. */
  words: 25,
  /** Passive sentences of a page; a short page may have a few all the same. */
  passiveShare: 0.12,
  passiveAllowed: 3,
};

/** Words that retext-simplify would replace and that are terms here, or are simple enough. */
export const SIMPLE_ENOUGH = [
  'address',
  'attempt',
  'capability',
  'component',
  'components',
  'contain',
  'contains',
  'delete',
  'effect',
  'expiration',
  'forward',
  'function',
  'however',
  'identical',
  'implement',
  'initial',
  'interface',
  'it is',
  'maintain',
  'maximum',
  'minimum',
  'monitor',
  'observe',
  'option',
  'parameters',
  'permit',
  'previous',
  'previously',
  'provide',
  'provided that',
  'relative to',
  'remain',
  'request',
  'require',
  'submit',
  'subsequent',
  'there are',
  'there is',
  'type',
  'validate',
];

/** What only this project said, with what a reader would search for. */
export const WORDS = [
  [/\b[Mm]end(?:s|ed|ing)?\b/g, '"fix"'],
  [/\b(?:[Ww]hoever|[Ww]homever)\b/g, '"anyone who", or name the role'],
  [/\bwho (?:left|leaves|hangs up)\b/g, '"a client that disconnects"'],
  [/\b(?:is|are) (?:paid|charged) (?:once|twice) over\b/g, '"is charged once" or "is charged twice"'],
  [/\b(?:purses?|desks?|doors?)\b/g, 'the usual term (budget, queue, endpoint)'],
  [/\bwhat there (?:is|are)\b/g, 'what the list contains'],
  [/\b[Tt]here where\b/g, '"where"'],
  [/\bin the wire of\b/g, '"in the format of"'],
  [/\bas (?:it|they) c[ao]me(?:s)?\b/g, '"unchanged" or "in the order received"'],
  [/\bas (?:it|they) stands?\b/g, '"unchanged"'],
  [/\b[Ww]here (?:there )?(?:is|are) (?:none|no such)\b/g, '"if there is no …"'],
  [/\bneed not\b/g, '"do not have to"'],
  [/\bmay not\b(?! be)/g, '"cannot" or "must not"'],
  [/\bsays so\b/g, 'what it says, and where'],
  [/\bat your own\b/g, '"on your own"'],
  [/\bon the way (?:out|in|back)\b/g, '"in requests" or "in responses"'],
  [/\bfurther(?= (?:keys?|models?|requests?))/g, '"more" or "other"'],
];
