/** One question in the words of one SDK, and what came back: the same for all of them. */
import type { ChatFormat } from '@model-gateway/contracts';

export interface Ask {
  readonly system?: string;
  readonly text: string;
  /** Base64 of a png. */
  readonly image?: string;
  readonly tools?: boolean;
  /** Ask for JSON of `ANSWER_SCHEMA`. */
  readonly structured?: boolean;
  readonly think?: boolean;
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  /** Called at the first piece of a stream. */
  readonly onPiece?: () => void;
  /** The turn before, and what its calls gave. */
  readonly after?: { readonly ask: Ask; readonly heard: Heard; readonly result: string };
}

export interface Heard {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  /** The SDK's own assistant turn, to be sent back as it is. */
  readonly turn: unknown;
  /** `x-gateway-dropped`. */
  readonly dropped: string;
}

export interface Driver {
  readonly name: ChatFormat;
  ask(model: string, ask: Ask): Promise<Heard>;
}

export const WEATHER_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
export const ANSWER_SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
} as const;
export const TOOLS = [
  { name: 'get_weather', description: 'The weather of a city' },
  { name: 'get_time', description: 'The time in a city' },
] as const;
