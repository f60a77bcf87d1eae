export * from './provider-adapter.ts';
export { CLOCKS_DIFFER_MS, framedLines, lookThroughPages } from './batch-adapter.ts';
export { readJsonLines, readJsonObjects } from './json-lines.ts';
export { SERVICE_ACCOUNT_CREDENTIALS, serviceAccountToken } from './google-token.ts';
export { accessTokenFor, signInFailed, signInRefused, type AccessToken } from './access-tokens.ts';
export {
  accountOn,
  baseUrlOf,
  declareApiKey,
  DECLARES_OWN_SERVER,
  type AccountDeclaration,
  type DeclaredCredential,
  type DeclaredOffer,
  type DeclaredVendor,
  type StreamCancellation,
  type Vendor,
  type VendorAdapter,
  type VendorDeclaration,
  type VendorFacts,
} from './declaration.ts';
export { cancellationOfServer, STREAM_KEEPS_BILLING, STREAM_STOPS_BILLING } from './stream-cancellation.ts';
export { parseVendorJson, writeVendorJson } from './json.ts';
export { isBase64 } from './long-texts.ts';
export { idAt, listAt, numberAt, objectAt, textAt, valueAt } from './json-path.ts';
export { inOnePiece } from './form.ts';
export { answerBesidePictures, besidePicture, readDataUrl, type EmbeddedMedia } from './image-form.ts';
export { cleanVendorText, storable, withoutSecrets } from './vendor-text.ts';
export {
  createJob,
  finishedJob,
  isMissing,
  lostJob,
  malformedReply,
  MAX_POLL_BYTES,
  pollJob,
  removeIfThere,
  tooLate,
  type JobOutcome,
} from './vendor-task.ts';
export {
  cannotTake,
  classIn,
  defined,
  fieldOf,
  frameIn,
  namesOfGiven,
  pixelsIn,
  pixelsOf,
  proportionOf,
  refuseKinds,
  sortExtra,
  tierOf,
  type Frame,
  type FrameWords,
  type VideoWord,
} from './video-form.ts';
export { readSse, type SseMessage } from './events-or-body.ts';
export {
  createUntrustedFetcher,
  flatHeaders,
  parseOpening,
  type UntrustedFetcher,
  type MediaResponse,
  type OpenOptions,
} from './media-url.ts';
export {
  cleanFault,
  faultOfStatus,
  faultSaid,
  faultToError,
  refusalOf,
  retryAfterOf,
  transportError,
  withheld,
  withVendorBody,
} from './refusal.ts';
export { type AnsweredHeaders, openUpstream, type Deadlines, type UpstreamOptions } from './upstream.ts';
export { createUpstreamPools, type UpstreamPools } from './upstream-pools.ts';
export { stabilityFields } from './stability-form.ts';
export { readDialectFault, type FaultWords } from './dialect-fault.ts';
export {
  ANTHROPIC_VERSION,
  bearer,
  COMPLETIONS_PATH,
  compatibleChat,
  openAiCompatible,
  type CompatibleOptions,
} from './openai-compatible.ts';
export {
  dimensionsOf,
  embeddedImage,
  imageAddress,
  imageCount,
  imageField,
  imageFieldsGiven,
  inputOfPicture,
  joinedReplies,
  imageSizeOf,
  IMAGE_SECONDS,
  midReplyError,
  mimeByName,
  pictureFrom,
  pictureType,
  picturesToFetch,
  ratioAsked,
  refuseLarge,
  refuseMask,
  repeatedly,
  sortImageExtra,
  type Embedding,
  type ImageSize,
  type ImageWord,
  type RatioAsked,
} from './image-form.ts';
export { maskIn, readPicture, type Colour, type ReadPicture } from './mask.ts';
export { readEventsOrBody, type VendorEvent } from './events-or-body.ts';
export { refusalBody } from './reply-body.ts';
export { addUsage, usageOf } from './usage-counts.ts';
export {
  charactersIn,
  hasRate,
  isUsualSpeed,
  lengthOfSound,
  SAMPLE_RATE,
  secondsOfSamples,
  sortSpeechExtra,
  SOUND_MIMES,
  soundReply,
  speechFormat,
  SPEECH_SECONDS,
  startedSound,
  vendorVoice,
  VOICE_QUIRKS,
  WAV_HEADER_BYTES,
  wholeSamples,
  type SoundFormat,
  type VendorVoices,
} from './speech-form.ts';
export {
  formParts,
  localeOf,
  sortFields,
  SpeakerNames,
  transcriptOf,
  TRANSCRIPTION_SECONDS,
  wholeTranscriptEvents,
  type HeardSpeech,
  type TimedWord,
} from './transcript-form.ts';
export { base64Pieces, StreamedFiles, type SentFile } from './streamed-json.ts';
export { limitLeft, limitsOf, readOpenAiLimits, type LimitLeft, type VendorLimits } from './vendor-limits.ts';
export { atEndOfTurn, inSlices } from './end-of-turn.ts';
export { largeRepliesWait } from './whole-reply.ts';
