/** An answer in each of the four chat formats as Vercel's AI SDK reads it, which holds every answer and event against its schemas. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { ChatFormat } from '@model-gateway/contracts';
import type { Answer, Question, Readers } from './read-by-sdk.ts';

/** Pictures are not among it, nor are thoughts of chat completions: this SDK does not read them there. */
export type AiAnswer = Pick<Answer, 'text' | 'calls' | 'tokens'>;
type Model = ReturnType<ReturnType<typeof createOpenAI>>;

/** Asks in one format, and reads. */
export function createAiReader({
  baseUrl,
  apiKey,
}: Readers): (wire: ChatFormat, question: Question) => Promise<AiAnswer> {
  const openai = createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey });
  const anthropic = createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey });
  const google = createGoogleGenerativeAI({ baseURL: `${baseUrl}/v1beta`, apiKey });
  const models: Readonly<Record<ChatFormat, (code: string) => Model>> = {
    'openai-chat': (code) => openai.chat(code),
    'openai-responses': (code) => openai.responses(code),
    'anthropic-messages': (code) => anthropic(code),
    'gemini-generate': (code) => google(code),
  };
  return (wire, { model, stream }) => (stream ? readStream : readWhole)(models[wire](model));
}

const PROMPT = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];

interface Usage {
  readonly inputTokens: { readonly total: number | undefined };
  readonly outputTokens: { readonly total: number | undefined };
}
const tokensOf = ({ inputTokens, outputTokens }: Usage): Answer['tokens'] => [
  inputTokens.total ?? -1,
  outputTokens.total ?? -1,
];

/** Without the addresses that stand for pictures in messages. */
const wordsOf = (text: string): string => text.replaceAll(/!\[image\]\([^)]*\)/g, '');
const inputOf = (input: string): unknown => JSON.parse(input === '' ? '{}' : input);

async function readWhole(model: Model): Promise<AiAnswer> {
  const { content, usage } = await model.doGenerate({ prompt: PROMPT });
  return {
    text: wordsOf(content.map((part) => (part.type === 'text' ? part.text : '')).join('')),
    calls: content.flatMap((part) =>
      part.type === 'tool-call' && part.providerExecuted !== true
        ? [[part.toolName, inputOf(part.input)] as const]
        : [],
    ),
    tokens: tokensOf(usage),
  };
}

async function readStream(model: Model): Promise<AiAnswer> {
  const { stream } = await model.doStream({ prompt: PROMPT });
  let text = '';
  let tokens: Answer['tokens'] = [-1, -1];
  const calls: (readonly [string, unknown])[] = [];
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.delta;
    else if (part.type === 'finish') tokens = tokensOf(part.usage);
    else if (part.type === 'tool-call' && part.providerExecuted !== true)
      calls.push([part.toolName, inputOf(part.input)]);
  }
  return { text: wordsOf(text), calls, tokens };
}
