export { describeVideoAdapter, type VideoConformance } from './video-conformance.ts';
export { describeSubjectAdapter, type SubjectConformance } from './subject-conformance.ts';
export {
  asItIs,
  startScriptedVendor,
  vendorReply,
  videoCreate,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedUpstreamOptions,
  type ScriptedVendor,
} from './scripted-vendor.ts';
export {
  EXAMPLES_FOLDER,
  formOf,
  OF_EARLIER_ONES,
  paidOperations,
  paidRequestsOf,
  sendPaid,
  withOtherText,
  type PaidAnswer,
  type PaidRequest,
} from './document-examples.ts';
export { builtConsole } from './built-console.ts';
export { freePort } from './free-port.ts';
export { until } from './until.ts';
export { openTestDatabase, type TestDatabase, type TestDatabaseKind } from './database.ts';
export { describeDatabases, type StoreUnderTest } from './describe-databases.ts';
export {
  describeImageAdapter,
  describeSpeechAdapter,
  imageCreate,
  PICTURE,
  PIXEL,
  readWav,
  speechCreate,
  type ImageConformance,
  type Moderation,
  type SpeechConformance,
} from './media-conformance.ts';
export {
  describeEmbeddingAdapter,
  describeModerationAdapter,
  describeRerankAdapter,
  describeTranscriptionAdapter,
  recordingOf,
  transcriptionCreate,
  type TranscriptionConformance,
  type WholeConformance,
} from './whole-conformance.ts';
export { describeChatAdapter, type ChatConformance } from './chat-conformance.ts';
export {
  ADMIN_KEY,
  LIVE_KEY,
  openTestGateway,
  OTHER_KEY,
  TEST_KEY,
  WEBHOOK_SECRET,
  type TestGateway,
  type TestGatewayOptions,
} from './gateway.ts';
export { runPrograms, type ProgramOutcome } from './run-programs.ts';
export { describeInBrowser, hasTestBrowser, openTestBrowser } from './browser.ts';
export { hasTestRedis, openTestRedis, type TestRedis } from './redis.ts';
export {
  GATEWAY_PROGRAM,
  startGatewayProcess,
  type GatewayProcess,
  type GatewayProcessOptions,
} from './gateway-process.ts';
export {
  startOtlpReceiver,
  type OtlpReceiver,
  type ReceivedLog,
  type ReceivedMetric,
  type ReceivedSpan,
} from './otlp-receiver.ts';
export { startLegacyMcpServer, startMcpServer, startModernMcpServer, type TestMcpServer } from './mcp-servers.ts';
