/** An answer in each of the four chat formats as the official SDK puts it together, in one form to be compared. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type GenerateContentResponse } from '@google/genai';
import type { ChatFormat } from '@model-gateway/contracts';
import OpenAI from 'openai';

export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: string, input: unknown])[];
  readonly pictures: number;
  /** In the word of the format. */
  readonly end: string;
  readonly tokens: readonly [input: number, output: number];
}

export interface Question {
  readonly model: string;
  readonly stream: boolean;
}

export interface Readers {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Asks in one format, and reads. */
export function createReader({ baseUrl, apiKey }: Readers): (wire: ChatFormat, question: Question) => Promise<Answer> {
  const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 });
  const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
  const readers: Readonly<Record<ChatFormat, (question: Question) => Promise<Answer>>> = {
    'openai-chat': async (question) => fromChat(await askChat(openai, question)),
    'openai-responses': async (question) => fromResponse(await askResponses(openai, question)),
    'anthropic-messages': async (question) => fromMessage(await askMessages(anthropic, question)),
    'gemini-generate': async (question) => fromFragments(await askGoogle(google, question)),
  };
  return (wire, question) => readers[wire](question);
}

async function askChat(openai: OpenAI, { model, stream }: Question): Promise<OpenAI.ChatCompletion> {
  const body = { model, messages: [{ role: 'user' as const, content: 'hi' }] };
  if (!stream) return openai.chat.completions.create(body);
  const runner = openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
  // The accumulator keeps the last piece alone of what its types do not have.
  let reasoning = '';
  const images: unknown[] = [];
  runner.on('chunk', ({ choices }) => {
    const delta = (choices[0]?.delta ?? {}) as Partial<ChatMessage>;
    reasoning += delta.reasoning_content ?? '';
    images.push(...(delta.images ?? []));
  });
  const whole = await runner.finalChatCompletion();
  const message = whole.choices[0]?.message;
  if (message !== undefined) Object.assign(message, { reasoning_content: reasoning, images });
  return whole;
}

function askResponses(openai: OpenAI, { model, stream }: Question): Promise<OpenAI.Responses.Response> {
  const body = { model, input: 'hi' };
  return stream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body);
}

function askMessages(anthropic: Anthropic, { model, stream }: Question): Promise<Anthropic.Message> {
  const body = { model, max_tokens: 50, messages: [{ role: 'user' as const, content: 'hi' }] };
  return stream ? anthropic.messages.stream(body).finalMessage() : anthropic.messages.create(body);
}

async function askGoogle(google: GoogleGenAI, { model, stream }: Question): Promise<GenerateContentResponse[]> {
  if (!stream) return [await google.models.generateContent({ model, contents: 'hi' })];
  const fragments: GenerateContentResponse[] = [];
  for await (const each of await google.models.generateContentStream({ model, contents: 'hi' })) fragments.push(each);
  return fragments;
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type ChatMessage = OpenAI.ChatCompletionMessage & { reasoning_content?: string; images?: unknown[] };

function fromChat({ choices, usage }: OpenAI.ChatCompletion): Answer {
  const message: ChatMessage | undefined = choices[0]?.message;
  return {
    text: message?.content ?? '',
    reasoning: message?.reasoning_content ?? '',
    calls: (message?.tool_calls ?? []).map((call) =>
      call.type === 'function'
        ? ([call.function.name, inputOf(call.function.arguments)] as const)
        : ([call.custom.name, call.custom.input] as const),
    ),
    pictures: message?.images?.length ?? 0,
    end: choices[0]?.finish_reason ?? '',
    tokens: [usage?.prompt_tokens ?? -1, usage?.completion_tokens ?? -1],
  };
}

function fromResponse({ output, status, incomplete_details: details, usage }: OpenAI.Responses.Response): Answer {
  const of = <Type extends (typeof output)[number]['type']>(type: Type) =>
    output.filter((item): item is Extract<typeof item, { type: Type }> => item.type === type);
  const parts = of('message').flatMap(({ content }) => content);
  return {
    text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    reasoning: of('reasoning')
      .flatMap(({ summary, content }) => [...summary, ...(content ?? [])].map(({ text }) => text))
      .join(''),
    calls: of('function_call').map(({ name, arguments: text }) => [name, inputOf(text)] as const),
    pictures: of('image_generation_call').length,
    end: details?.reason ?? status ?? '',
    tokens: [usage?.input_tokens ?? -1, usage?.output_tokens ?? -1],
  };
}

function fromMessage({ content, stop_reason: end, usage }: Anthropic.Message): Answer {
  const texts = content.flatMap((block) => (block.type === 'text' ? block.text : []));
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return {
    text: texts.filter((text) => !text.startsWith('![image]')).join(''),
    reasoning: content.flatMap((block) => (block.type === 'thinking' ? block.thinking : [])).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input] as const] : [])),
    pictures: texts.filter((text) => text.startsWith('![image]')).length,
    end: end ?? '',
    tokens: [usage.input_tokens + cached, usage.output_tokens],
  };
}

function fromFragments(fragments: readonly GenerateContentResponse[]): Answer {
  const candidates = fragments.flatMap(({ candidates: found }) => found?.[0] ?? []);
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  const textOf = (thought: boolean): string =>
    parts.map((part) => ((part.thought === true) === thought ? (part.text ?? '') : '')).join('');
  const usage = fragments.flatMap(({ usageMetadata }) => usageMetadata ?? []).at(-1);
  const tools = usage?.toolUsePromptTokenCount ?? 0;
  const thoughts = usage?.thoughtsTokenCount ?? 0;
  return {
    text: textOf(false),
    reasoning: textOf(true),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [[call.name ?? '', call.args ?? {}] as const],
    ),
    pictures: parts.filter(({ inlineData }) => inlineData?.mimeType?.startsWith('image/') === true).length,
    end:
      candidates.flatMap(({ finishReason }) => finishReason ?? []).at(-1) ??
      fragments.flatMap(({ promptFeedback }) => promptFeedback?.blockReason ?? []).at(-1) ??
      '',
    tokens: [
      usage === undefined ? -1 : (usage.promptTokenCount ?? 0) + tools,
      usage === undefined ? -1 : (usage.candidatesTokenCount ?? 0) + thoughts,
    ],
  };
}
