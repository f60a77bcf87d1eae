/** The four chat wire formats (docs/architecture.md#words). */
export const DIALECT_NAMES = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
export type ChatFormat = (typeof DIALECT_NAMES)[number];

/** Text completions: no conversation can be asked in them, but chat models answer who asks so (docs/wire/completions.md). */
export const TEXT_COMPLETIONS = 'openai-completions';

/** Every wire format that requests of chat models come in, and that vendors may be asked in. */
export const WIRE_NAMES = [...DIALECT_NAMES, TEXT_COMPLETIONS] as const;
export type DialectName = (typeof WIRE_NAMES)[number];
