/** The Vercel AI SDK with the provider package of each format: plain, streamed, with tools that it runs itself. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { ChatFormat } from '@model-gateway/contracts';
import { generateText, jsonSchema, stepCountIs, streamText, tool, type LanguageModel } from 'ai';
import { WEATHER_SCHEMA } from './driver.ts';

export interface AiSdkDriver {
  readonly name: ChatFormat;
  model(code: string): LanguageModel;
}

/** What an answer of one or more steps came to. */
export interface AiSdkHeard {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly steps: number;
  readonly finish: string;
  readonly tokens: number;
}

/** One driver per format, each through its own provider package. */
export function aiSdkDrivers(url: string, apiKey: string): readonly AiSdkDriver[] {
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
  const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey });
  const google = createGoogle({ baseURL: `${url}/v1beta`, apiKey });
  return [
    { name: 'openai-chat', model: (code) => openai.chat(code) },
    { name: 'openai-responses', model: (code) => openai.responses(code) },
    { name: 'anthropic-messages', model: (code) => anthropic(code) },
    { name: 'gemini-generate', model: (code) => google(code) },
  ];
}

export interface AiSdkAsk {
  readonly prompt: string;
  readonly tools: boolean;
}

const settingsOf = (model: LanguageModel, { prompt, tools }: AiSdkAsk) => ({
  model,
  prompt,
  maxRetries: 0,
  // Otherwise its openai package refers to items by id, which only a server that keeps them can read.
  providerOptions: { openai: { store: false } },
  stopWhen: stepCountIs(3),
  ...(tools && {
    tools: {
      get_weather: tool({
        description: 'The weather of a city',
        inputSchema: jsonSchema<{ city: string }>({ ...WEATHER_SCHEMA, required: [...WEATHER_SCHEMA.required] }),
        execute: () => '5 degrees',
      }),
    },
  }),
});

/** generateText to its last step. */
export async function generated(model: LanguageModel, ask: AiSdkAsk): Promise<AiSdkHeard> {
  const result = await generateText(settingsOf(model, ask));
  return {
    text: result.text,
    calls: result.steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => ({ name: toolName, input }))),
    steps: result.steps.length,
    finish: result.finishReason,
    tokens: result.usage.totalTokens ?? 0,
  };
}

/** streamText to its last step; an error in the stream is thrown. */
export async function streamed(model: LanguageModel, ask: AiSdkAsk): Promise<AiSdkHeard> {
  let failure: Error | undefined;
  const result = streamText({
    ...settingsOf(model, ask),
    onError: ({ error }) => {
      failure = new Error('the stream failed', { cause: error });
    },
  });
  let pieces = '';
  for await (const piece of result.textStream) pieces += piece;
  if (failure !== undefined) throw failure;
  const steps = await result.steps;
  return {
    text: pieces,
    calls: steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => ({ name: toolName, input }))),
    steps: steps.length,
    finish: await result.finishReason,
    tokens: (await result.usage).totalTokens ?? 0,
  };
}
