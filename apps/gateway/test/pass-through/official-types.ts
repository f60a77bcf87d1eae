/** What vendors take and answer on each wire, as the types of their own SDKs have it. `samplesOf` reads this file. */
import type Anthropic from '@anthropic-ai/sdk';
import type {
  Content,
  EmbedContentConfig,
  GenerateContentResponse as GoogleReply,
  GenerationConfig,
  SafetySetting,
  Tool,
  ToolConfig,
} from '@google/genai';
import type { Cohere } from 'cohere-ai';
import type OpenAI from 'openai';

export type ChatCompletion = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, 'model' | 'stream'>;
export type ChatCompletionReply = OpenAI.Chat.ChatCompletion;
export type ChatCompletionEvent = OpenAI.Chat.ChatCompletionChunk;

export type Response = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model' | 'stream'>;
export type ResponseReply = OpenAI.Responses.Response;
export type ResponseEvent = OpenAI.Responses.ResponseStreamEvent;
/** As one comes over a WebSocket. */
export type ResponseSocketEvent = OpenAI.Responses.ResponsesServerEvent;
export type CompactedReply = OpenAI.Responses.CompactedResponse;

export type Message = Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'stream'>;
export type BetaMessage = Omit<Anthropic.Beta.Messages.MessageCreateParamsNonStreaming, 'model' | 'stream' | 'betas'>;
export type MessageReply = Anthropic.Message;
export type BetaMessageReply = Anthropic.Beta.Messages.BetaMessage;
export type MessageEvent = Anthropic.RawMessageStreamEvent;
export type BetaMessageEvent = Anthropic.Beta.Messages.BetaRawMessageStreamEvent;
export type MessageCount = Omit<Anthropic.MessageCountTokensParams, 'model'>;
export type BetaMessageCount = Omit<Anthropic.Beta.Messages.MessageCountTokensParams, 'model' | 'betas'>;
export type MessageCountReply = Anthropic.MessageTokensCount;
export type BetaMessageCountReply = Anthropic.Beta.Messages.BetaMessageTokensCount;
/** Values of `anthropic-beta`. */
export type AnthropicBeta = Anthropic.Beta.AnthropicBeta;

/** The SDK has names of its own for the body as a whole; its members are those of the wire. */
export interface GenerateContent {
  contents: Content[];
  systemInstruction?: Content;
  tools?: Tool[];
  toolConfig?: ToolConfig;
  safetySettings?: SafetySetting[];
  generationConfig?: GenerationConfig;
  cachedContent?: string;
  labels?: Record<string, string>;
  serviceTier?: string;
  store?: boolean;
}
export type GenerateContentReply = Omit<
  GoogleReply,
  'text' | 'data' | 'functionCalls' | 'executableCode' | 'codeExecutionResult' | 'sdkHttpResponse'
>;
export interface CountContent {
  contents?: Content[];
  systemInstruction?: Content;
  tools?: Tool[];
  generationConfig?: GenerationConfig;
  generateContentRequest?: GenerateContent & { model: 'models/gemini-generate' };
}
export interface CountContentReply {
  totalTokens: number;
  cachedContentTokenCount?: number;
  promptTokensDetails?: { modality: string; tokenCount: number }[];
  cacheTokensDetails?: { modality: string; tokenCount: number }[];
}

// Beside chat. A form's file is no member of these: it is the same in every sample.
export type Embedding = Omit<OpenAI.EmbeddingCreateParams, 'model'>;
export type EmbeddingReply = OpenAI.CreateEmbeddingResponse;
export type Moderation = Omit<OpenAI.ModerationCreateParams, 'model'>;
export type ModerationReply = OpenAI.ModerationCreateResponse;
export type Picture = Omit<OpenAI.ImageGenerateParamsNonStreaming, 'model' | 'stream'>;
export type VideoReply = OpenAI.Videos.Video;
export type PictureReply = OpenAI.ImagesResponse;
export type PictureEdit = Omit<OpenAI.ImageEditParamsNonStreaming, 'model' | 'stream' | 'image' | 'mask'>;
export type Speech = Omit<OpenAI.Audio.SpeechCreateParams, 'model'>;
export type Transcript = Omit<OpenAI.Audio.TranscriptionCreateParamsNonStreaming, 'model' | 'stream' | 'file'>;
export type Translation = Omit<OpenAI.Audio.TranslationCreateParams, 'model' | 'file'>;
/** Cohere's SDK spells its members in camel case. */
export type Rerank = Omit<Cohere.V2RerankRequest, 'model'>;
export interface EmbedContent extends Omit<EmbedContentConfig, 'httpOptions' | 'abortSignal'> {
  content: Content;
}
export interface EmbedContents {
  requests: EmbedContent[];
}
