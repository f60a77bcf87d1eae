import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { Reader } from '../core/reader.ts';
import { textOf } from '../core/values.ts';
import { complainAsOpenAi } from './errors.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const SESSION = words(
  'type audio include instructions max_output_tokens model output_modalities parallel_tool_calls prompt reasoning tool_choice tools tracing truncation',
);
const TRANSCRIPTION_SESSION = words('type audio include');
const RESPONSE = words(
  'audio conversation input instructions max_output_tokens metadata output_modalities parallel_tool_calls prompt reasoning tool_choice tools',
);
const INPUT = words('format noise_reduction transcription turn_detection');
const OUTPUT = words('format speed voice');
const TRANSCRIPTION = words('delay keywords language languages model prompt');
const SERVER_VAD = words(
  'type create_response idle_timeout_ms interrupt_response prefix_padding_ms silence_duration_ms threshold',
);
const SEMANTIC_VAD = words('type create_response eagerness interrupt_response');
const TOOL = words('type name description parameters');
const VOICES = 'alloy ash ballad coral echo sage shimmer verse marin cedar'.split(' ');
const FORMATS = ['audio/pcm', 'audio/pcmu', 'audio/pcma'] as const;
const RATE = 24_000;
const TELEPHONE_RATE = 8_000;
const MOST_TOKENS = 32_000;

export type SoundFormat = (typeof FORMATS)[number];

export interface TurnDetection {
  readonly silenceMs: number;
  readonly createsResponse: boolean;
  readonly interrupts: boolean;
}

export interface Tool {
  readonly name: string;
  readonly schema: JsonObject;
}

/** A session's configuration as it is shown, and what the twin reads of it. */
export interface SessionConfig {
  readonly shown: JsonObject;
  readonly kind: 'realtime' | 'transcription';
  readonly input: SoundFormat;
  readonly output: SoundFormat;
  readonly voice: string;
  readonly detection: TurnDetection | undefined;
  readonly transcriber: string | undefined;
}

/** Samples a second. */
export function rateOf(format: SoundFormat): number {
  return format === 'audio/pcm' ? RATE : TELEPHONE_RATE;
}

const DETECTION: JsonObject = {
  ...{ type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 200, idle_timeout_ms: null },
  ...{ create_response: true, interrupt_response: true },
};
const PCM: JsonObject = { type: 'audio/pcm', rate: RATE };

/** What a session is before its client has said anything. */
export function newSession(id: string, model: string | undefined, expiresAt: number): JsonObject {
  const input: JsonObject = { format: PCM, transcription: null, noise_reduction: null, turn_detection: DETECTION };
  const named: JsonObject = { object: 'realtime.session', id, expires_at: expiresAt, include: null };
  if (model === undefined)
    return { ...named, object: 'realtime.transcription_session', type: 'transcription', audio: { input } };
  return {
    ...named,
    type: 'realtime',
    model,
    output_modalities: ['audio'],
    instructions: 'You are a helpful assistant.',
    tools: [],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    tracing: null,
    truncation: 'auto',
    prompt: null,
    audio: { input, output: { format: PCM, voice: 'alloy', speed: 1 } },
  };
}

/** The session after an update. Throws the vendor's refusal for the first thing that is wrong. */
export function updatedSession(shown: JsonObject, given: unknown, spoken: boolean): JsonObject {
  const update = new Reader(given, ['session'], complainAsOpenAi);
  const type = update.oneOf('type', ['realtime', 'transcription'] as const);
  if (type !== shown['type']) update.fail('type', `'${textOf(shown['type'])}', which the session is`);
  update.only(type === 'realtime' ? SESSION : TRANSCRIPTION_SESSION);
  if (update.has('model') && update.value['model'] !== shown['model']) update.fail('model', 'the model of the session');
  checkAnswering(update);
  const audio = update.optionalObject('audio');
  audio?.only(words(type === 'realtime' ? 'input output' : 'input'));
  const input = audio?.optionalObject('input');
  const output = audio?.optionalObject('output');
  if (input !== undefined) checkInput(input);
  if (output !== undefined) checkOutput(output);
  const known = isJsonObject(shown['audio']) ? shown['audio'] : {};
  const voice = output?.value['voice'];
  if (spoken && voice !== undefined && voice !== at(known, 'output', 'voice'))
    output?.fail('voice', 'the voice that was heard: it cannot be changed after that');
  return {
    ...shown,
    ...update.value,
    audio: {
      ...known,
      ...(input !== undefined && { input: { ...object(known['input']), ...withDetection(input) } }),
      ...(output !== undefined && { output: { ...object(known['output']), ...output.value } }),
    },
  };
}

function withDetection(input: Reader): JsonObject {
  const detection = input.value['turn_detection'];
  if (!isJsonObject(detection) || detection['type'] !== 'server_vad') return input.value;
  return { ...input.value, turn_detection: { ...DETECTION, ...detection } };
}

/** Checks what a session and one response may both say. */
function checkAnswering(body: Reader): void {
  const modalities = body.optionalArray('output_modalities');
  if (modalities !== undefined && !['text', 'audio'].includes(modalities.join()))
    body.fail('output_modalities', "['text'] or ['audio']");
  body.optionalString('instructions');
  if (body.value['max_output_tokens'] !== 'inf') body.optionalInteger('max_output_tokens', 1, MOST_TOKENS);
  for (const tool of body.objects('tools')) {
    if (tool.oneOf('type', ['function', 'mcp'] as const) === 'mcp') continue;
    tool.only(TOOL);
    tool.string('name', 64);
    tool.optionalObject('parameters');
  }
  const choice = body.value['tool_choice'];
  if (typeof choice === 'string') body.oneOf('tool_choice', ['auto', 'none', 'required']);
}

function checkInput(input: Reader): void {
  input.only(INPUT);
  checkFormat(input);
  const transcription = input.optionalObject('transcription');
  transcription?.only(TRANSCRIPTION);
  transcription?.string('model');
  input.optionalObject('noise_reduction')?.oneOf('type', ['near_field', 'far_field']);
  const detection = input.optionalObject('turn_detection');
  if (detection === undefined) return;
  const type = detection.oneOf('type', ['server_vad', 'semantic_vad'] as const);
  detection.only(type === 'server_vad' ? SERVER_VAD : SEMANTIC_VAD);
  detection.optionalNumber('threshold', 0, 1);
  detection.optionalInteger('silence_duration_ms', 0);
  detection.optionalInteger('prefix_padding_ms', 0);
  detection.optionalBoolean('create_response');
  detection.optionalBoolean('interrupt_response');
}

function checkOutput(output: Reader): void {
  output.only(OUTPUT);
  checkFormat(output);
  output.optionalNumber('speed', 0.25, 1.5);
  if (output.has('voice')) output.oneOf('voice', VOICES);
}

function checkFormat(sound: Reader): void {
  const format = sound.optionalObject('format');
  const type = format?.oneOf('type', FORMATS);
  if (type === 'audio/pcm') format?.oneOf('rate', [RATE]);
}

/** What the twin reads of a session that was checked. */
export function configOf(shown: JsonObject): SessionConfig {
  const audio = object(shown['audio']);
  const input = object(audio['input']);
  const output = object(audio['output']);
  const detection = input['turn_detection'];
  const transcriber = object(input['transcription'])['model'];
  return {
    shown,
    kind: shown['type'] === 'transcription' ? 'transcription' : 'realtime',
    input: formatOf(input),
    output: formatOf(output),
    voice: typeof output['voice'] === 'string' ? output['voice'] : 'alloy',
    detection: isJsonObject(detection) ? detectionOf(detection) : undefined,
    transcriber: typeof transcriber === 'string' ? transcriber : undefined,
  };
}

function detectionOf(detection: JsonObject): TurnDetection {
  const silence = detection['silence_duration_ms'];
  return {
    silenceMs: typeof silence === 'number' ? silence : 200,
    createsResponse: detection['create_response'] !== false,
    interrupts: detection['interrupt_response'] !== false,
  };
}

function formatOf(sound: JsonObject): SoundFormat {
  const type = object(sound['format'])['type'];
  return FORMATS.find((each) => each === type) ?? 'audio/pcm';
}

/** What one response is to be: the session's own where the response says nothing. */
export interface ResponseConfig {
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly choice: 'auto' | 'none' | 'required' | readonly string[];
  readonly isSpoken: boolean;
  readonly output: SoundFormat;
  readonly voice: string;
  readonly mostTokens: number | undefined;
  /** What it says of itself. */
  readonly shown: JsonObject;
  /** It stays out of the conversation. */
  readonly isApart: boolean;
  readonly input: readonly Reader[] | undefined;
}

/** Throws the vendor's refusal for the first thing that is wrong. */
export function responseConfig(session: SessionConfig, given: unknown): ResponseConfig {
  const body = new Reader(given ?? {}, ['response'], complainAsOpenAi);
  body.only(RESPONSE);
  checkAnswering(body);
  const output = body.optionalObject('audio')?.optionalObject('output');
  if (output !== undefined) checkOutput(output);
  const said: JsonObject = { ...session.shown, ...body.value };
  const sound: JsonObject = { ...object(at(session.shown, 'audio', 'output')), ...output?.value };
  const most = said['max_output_tokens'];
  const choice = said['tool_choice'];
  const modalities = said['output_modalities'];
  return {
    instructions: typeof said['instructions'] === 'string' ? said['instructions'] : '',
    tools: toolsOf(said['tools']),
    choice:
      choice === 'none' || choice === 'required' ? choice : isJsonObject(choice) ? [textOf(choice['name'])] : 'auto',
    isSpoken: !Array.isArray(modalities) || modalities[0] !== 'text',
    output: formatOf(sound),
    voice: typeof sound['voice'] === 'string' ? sound['voice'] : session.voice,
    mostTokens: typeof most === 'number' ? most : undefined,
    shown: {
      metadata: body.value['metadata'] ?? null,
      output_modalities: modalities ?? ['audio'],
      max_output_tokens: most ?? 'inf',
      audio: { output: { format: sound['format'] ?? PCM, voice: sound['voice'] ?? session.voice } },
    },
    isApart: body.value['conversation'] === 'none',
    input: body.has('input') ? body.objects('input') : undefined,
  };
}

function toolsOf(value: Json | undefined): Tool[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).flatMap((tool) => {
    const { name } = tool;
    return typeof name === 'string' ? [{ name, schema: object(tool['parameters']) }] : [];
  });
}

function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function at(value: JsonObject, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const name of path) found = object(found)[name];
  return found;
}
