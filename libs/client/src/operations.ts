/** Every operation of the document by its operationId. Removing or adding one there is a type error here. */
import type { components, operations, paths } from './contracts.ts';

/** Everything but the webhook, which the gateway calls. */
export type OperationId = Exclude<keyof operations, 'videoTaskEnded'>;
export type Method = 'get' | 'post' | 'patch' | 'delete';
export type Schemas = components['schemas'];

type RouteOf<Id extends OperationId> = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path][M] extends operations[Id]
      ? operations[Id] extends paths[Path][M]
        ? readonly [M, Path]
        : never
      : never;
  }[Method];
}[keyof paths];

export const OPERATIONS = {
  createChatCompletion: ['post', '/v1/chat/completions'],
  createResponse: ['post', '/v1/responses'],
  createMessage: ['post', '/v1/messages'],
  countMessageTokens: ['post', '/v1/messages/count_tokens'],
  generateContent: ['post', '/v1beta/models/{model}:generateContent'],
  streamGenerateContent: ['post', '/v1beta/models/{model}:streamGenerateContent'],
  countContentTokens: ['post', '/v1beta/models/{model}:countTokens'],
  generateContentV1: ['post', '/v1/models/{model}:generateContent'],
  streamGenerateContentV1: ['post', '/v1/models/{model}:streamGenerateContent'],
  countContentTokensV1: ['post', '/v1/models/{model}:countTokens'],
  createImage: ['post', '/v1/images/generations'],
  editImage: ['post', '/v1/images/edits'],
  createSpeech: ['post', '/v1/audio/speech'],
  createVideoTask: ['post', '/v1/video/generations'],
  listVideoTasks: ['get', '/v1/video/generations'],
  getVideoTask: ['get', '/v1/video/generations/{task_id}'],
  cancelVideoTask: ['delete', '/v1/video/generations/{task_id}'],
  createVideo: ['post', '/v1/videos'],
  listVideos: ['get', '/v1/videos'],
  getVideo: ['get', '/v1/videos/{video_id}'],
  deleteVideo: ['delete', '/v1/videos/{video_id}'],
  getVideoContent: ['get', '/v1/videos/{video_id}/content'],
  createSubject: ['post', '/v1/general/advanced-custom-elements'],
  getSubject: ['get', '/v1/general/advanced-custom-elements/{task_id}'],
  listModels: ['get', '/v1/models'],
  getModel: ['get', '/v1/models/{model}'],
  listGeminiModels: ['get', '/v1beta/models'],
  getGeminiModel: ['get', '/v1beta/models/{model}'],
  createEstimate: ['post', '/v1/estimate'],
  getFile: ['get', '/files/{file_id}'],
  listKeys: ['get', '/admin/keys'],
  createKey: ['post', '/admin/keys'],
  getKey: ['get', '/admin/keys/{key_id}'],
  updateKey: ['patch', '/admin/keys/{key_id}'],
  revokeKey: ['delete', '/admin/keys/{key_id}'],
  rotateKey: ['post', '/admin/keys/{key_id}/rotate'],
  listOwners: ['get', '/admin/owners'],
  createOwner: ['post', '/admin/owners'],
  getOwner: ['get', '/admin/owners/{owner_id}'],
  updateOwner: ['patch', '/admin/owners/{owner_id}'],
  topUpOwner: ['post', '/admin/owners/{owner_id}/topups'],
  adjustOwner: ['post', '/admin/owners/{owner_id}/adjustments'],
  getUsage: ['get', '/admin/usage'],
  listLedgerEntries: ['get', '/admin/ledger'],
  verifyLedger: ['post', '/admin/ledger/verify'],
  replayLedger: ['get', '/admin/ledger/replay/{request_id}'],
  listAllTasks: ['get', '/admin/tasks'],
  listAccounts: ['get', '/admin/accounts'],
  listWebhookDeliveries: ['get', '/admin/webhook-deliveries'],
  replayWebhookDelivery: ['post', '/admin/webhook-deliveries/{delivery_id}/replay'],
  listAuditEntries: ['get', '/admin/audit'],
  getHealth: ['get', '/healthz'],
  getReadiness: ['get', '/readyz'],
  getMetrics: ['get', '/metrics'],
  getOpenapi: ['get', '/openapi.json'],
  getDocs: ['get', '/docs'],
} as const satisfies { [Id in OperationId]: RouteOf<Id> };

type Parameters<Id extends OperationId, Place extends 'path' | 'query' | 'header'> = NonNullable<
  operations[Id]['parameters'][Place]
>;
/** What stands in the address of an operation. */
export type PathOf<Id extends OperationId> = Parameters<Id, 'path'>;
/** What follows the question mark. */
export type QueryOf<Id extends OperationId> = Parameters<Id, 'query'>;
/** The headers an operation reads. */
export type HeadersOf<Id extends OperationId> = Parameters<Id, 'header'>;

/** The JSON body an operation takes. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } };
}
  ? Body
  : undefined;

type OkOf<Id extends OperationId> = operations[Id]['responses'] extends { 200: { content: infer Content } }
  ? Content
  : never;
/** The JSON answer of an operation. */
export type ReplyOf<Id extends OperationId> =
  OkOf<Id> extends { 'application/json': infer Body } ? Body : OkOf<Id>[keyof OkOf<Id>];
/** One event of an operation's stream. */
export type EventOf<Id extends OperationId> = OkOf<Id> extends { 'text/event-stream': infer Event } ? Event : never;
