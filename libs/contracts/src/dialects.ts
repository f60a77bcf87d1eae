/** The four chat wire formats (docs/architecture.md#words). */
export const DIALECT_NAMES = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];
