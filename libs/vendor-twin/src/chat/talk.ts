import type { JsonObject } from '@model-gateway/contracts';

/** A conversation in any dialect, as far as the twin's one brain needs to know it. */
export interface Talk {
  readonly model: string;
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly TalkTool[];
  /** Names: one of these tools must be called. */
  readonly choice: 'auto' | 'none' | 'required' | readonly string[];
  /** Several calls at once are welcome. */
  readonly parallel: boolean;
  readonly format: 'text' | 'json' | { readonly schema: JsonObject };
  /** The model thinks before it answers. */
  readonly thinks: boolean;
  /** Output tokens, thinking included. */
  readonly mostTokens?: number;
  readonly stop: readonly string[];
  /** The vendor's own web search is offered. */
  readonly search: boolean;
}

export interface TalkTool {
  readonly name: string;
  readonly schema: JsonObject;
}

/** What one side said; tool results stand on the user's side. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly images: number;
  readonly documents: number;
  readonly audios: number;
  readonly results: readonly ToolResult[];
}

export interface ToolResult {
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolUse {
  readonly name: string;
  readonly input: JsonObject;
}

export interface Answer {
  /** Empty when the model does not think. */
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly ToolUse[];
  readonly finish: 'stop' | 'stop-sequence' | 'length' | 'tools' | 'refusal';
  readonly stopSequence?: string;
  /** What was looked up on the web; empty when nothing was. */
  readonly searched: readonly { readonly query: string; readonly url: string; readonly title: string }[];
  readonly tokens: { readonly input: number; readonly output: number; readonly reasoning: number };
}

/** A turn with nothing but text. */
export function plainTurn(role: Turn['role'], text: string): Turn {
  return { role, text, images: 0, documents: 0, audios: 0, results: [] };
}

/** The user's last words: what the answer is about, and where marks are read. */
export function lastWords(talk: Pick<Talk, 'turns'>): string {
  return (
    talk.turns.findLast((turn) => turn.role === 'user' && (turn.text !== '' || turn.results.length === 0))?.text ?? ''
  );
}

/** Turns of tool results since the user last spoke. */
export function resultTurns(talk: Pick<Talk, 'turns'>): readonly Turn[] {
  const asked = talk.turns.findLastIndex((turn) => turn.role === 'user' && turn.results.length === 0);
  return talk.turns.slice(asked + 1).filter((turn) => turn.results.length > 0);
}
