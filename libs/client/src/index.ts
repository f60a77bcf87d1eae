export { bytesOf } from './environment.ts';
export type {
  ChatBody,
  CompletionBody,
  ChatMessage,
  ChatModel,
  ChatToolCall,
  ContentBody,
  ImageBody,
  ImageEdit,
  ImageModel,
  MessageBody,
  ResponseBody,
  SpeechBody,
  SpeechModel,
  VideoBody,
  VideoModel,
  VideoObjectBody,
} from './bodies.ts';
export * from './client.ts';
export type { ClientOptions, Input, KeySource } from './core.ts';
export { createAdmin, type Admin } from './resources/admin.ts';
export { pathClient } from './path-client.ts';
export { Call, type WithResponse } from './call.ts';
export type { TaskCall } from './task-call.ts';
export type { BinaryReply } from './binary.ts';
export type { EventStream, StreamFormat, StreamSum } from './stream.ts';
export type { Page, Pages } from './pages.ts';
export type { RequestOptions } from './transport.ts';
export type { WaitOptions } from './wait-for-video.ts';
export type { Upload, UploadData, UploadProgress } from './uploads.ts';
export { audioOf, picturesOf, type Picture } from './resources/media.ts';
export { subjectIdOf, type DownloadOptions } from './resources/videos.ts';
export { verifyWebhook, WebhookError, type VerifyOptions, type WebhookEvent } from './webhooks.ts';
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ClientError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StreamError,
  TaskFailedError,
  TimeoutError,
  type ErrorCode,
} from './errors.ts';
export {
  OPERATIONS,
  type BodyOf,
  type EventOf,
  type OperationId,
  type QueryOf,
  type ReplyOf,
  type Schemas,
} from './operations.ts';
