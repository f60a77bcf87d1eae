/** The four chat wire formats (design.md §2). */
export const DIALECT_NAMES = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];
