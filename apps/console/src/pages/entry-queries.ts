/** What shows entries of the configuration, or what becomes of them: all of it is read anew when one was changed. */
export const ENTRY_QUERIES = [
  ['configuration-entries'],
  ['configuration-entry'],
  ['configuration-changes'],
  ['configuration'],
  ['accounts'],
  ['account'],
  ['account-list'],
  ['models'],
  ['explain'],
  ['budgets'],
  ['budget'],
] as const;
