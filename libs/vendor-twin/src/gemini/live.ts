import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { answerTo } from '../chat/answers.ts';
import { joined, samplesOf, VoiceDetector, wordsIn } from '../chat/hearing.ts';
import { plainTurn, tokensOf, type Answer, type TalkTool, type Turn } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { readMarkers } from '../core/markers.ts';
import type { TwinSocket } from '../core/sockets.ts';
import { perStage, Recent } from '../core/stage.ts';
import { textOf } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { refuseAsGoogle } from './errors.ts';

const HEARD_RATE = 16_000;
const SPOKEN_RATE = 24_000;
const PIECE_MS = 100;
/** Of a second of sound. */
const TOKENS = { heard: 32, spoken: 25 } as const;
const USUAL_SILENCE_MS = 500;
/** Closing code of a message that is none. */
const INVALID = 1007;
const GOING_AWAY = 1001;
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const MESSAGES = words('setup clientContent realtimeInput toolResponse');
const SETUP = words(
  'model generationConfig systemInstruction tools realtimeInputConfig sessionResumption contextWindowCompression inputAudioTranscription outputAudioTranscription proactivity safetySettings',
);
const CONFIG = words(
  'responseModalities speechConfig maxOutputTokens temperature topP topK seed thinkingConfig mediaResolution',
);
const INPUT = words('audio video text mediaChunks activityStart activityEnd audioStreamEnd');

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/ws\/google\.ai\.generativelanguage\.v1(?:alpha|beta)?\.GenerativeService\.BidiGenerateContent$/,
    operation: 'realtime',
    handle: () => {
      throw refuseAsGoogle(400, { message: 'WebSocket upgrade is required.' });
    },
    connect: (exchange, socket) => new LiveSession(exchange, socket).open(),
  },
];

/** What a message is refused with: the connection ends. */
class Invalid extends Error {}

interface Kept {
  readonly turns: readonly Turn[];
  readonly heardTokens: number;
}

/** Conversations that can be resumed, by their handles. */
const kept = perStage(() => new Recent<Kept>(1000));

class LiveSession {
  readonly #exchange: Exchange;
  readonly #socket: TwinSocket;
  #setup: JsonObject | undefined;
  #turns: Turn[] = [];
  #tools: TalkTool[] = [];
  #ear: VoiceDetector | undefined;
  #sound: Int16Array[] = [];
  #heardTokens = 0;
  #isInterrupted = false;
  #running: Promise<void> | undefined;
  readonly #calls = new Map<string, string>();

  constructor(exchange: Exchange, socket: TwinSocket) {
    this.#exchange = exchange;
    this.#socket = socket;
  }

  open(): void {
    this.#socket.hear(async (data) => {
      try {
        await this.#hear(data);
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        this.#socket.close(INVALID, error.message.slice(0, 120));
      }
    });
    this.#socket.onClose(() => (this.#isInterrupted = true));
  }

  /** As Google does: JSON in binary frames. */
  #tell(message: JsonObject): void {
    this.#socket.send(message, true);
  }

  async #hear(data: Buffer): Promise<void> {
    const message = parsed(data);
    only(message, MESSAGES, '');
    const [name, ...others] = Object.keys(message);
    if (name === undefined || others.length > 0) throw new Invalid('Exactly one of the message fields must be set.');
    const body = objectIn(message, name);
    if (name === 'setup') {
      if (this.#setup !== undefined) throw new Invalid('setup was sent already.');
      this.#begin(body);
      return;
    }
    if (this.#setup === undefined) throw new Invalid('setup must be the first message and only the first.');
    if (name === 'clientContent') await this.#content(body);
    else if (name === 'realtimeInput') await this.#input(body);
    else await this.#results(body);
  }

  #begin(setup: JsonObject): void {
    only(setup, SETUP, 'setup');
    const model = textOf(setup['model']);
    if (!/^models\/[\w.-]+$/.test(model)) throw new Invalid(`setup.model is '${model}'`);
    if (/^models\/(?:no-such|unknown|missing)-/.test(model))
      throw new Invalid(`${model} is not found for API version v1beta.`);
    const config = objectIn(setup, 'generationConfig');
    only(config, CONFIG, 'setup.generation_config');
    const modalities = config['responseModalities'];
    if (modalities !== undefined && (!Array.isArray(modalities) || modalities.length !== 1))
      throw new Invalid('Exactly one response modality must be set.');
    for (const tool of listIn(setup, 'tools'))
      for (const each of listIn(tool, 'functionDeclarations')) {
        const schema = isJsonObject(each['parametersJsonSchema'])
          ? each['parametersJsonSchema']
          : objectIn(each, 'parameters');
        this.#tools.push({ name: textOf(each['name']), schema });
      }
    const detection = objectIn(objectIn(setup, 'realtimeInputConfig'), 'automaticActivityDetection');
    const silence = detection['silenceDurationMs'];
    if (detection['disabled'] !== true)
      this.#ear = new VoiceDetector({
        rate: HEARD_RATE,
        silenceMs: typeof silence === 'number' ? silence : USUAL_SILENCE_MS,
      });
    const { handle } = objectIn(setup, 'sessionResumption');
    if (typeof handle === 'string') {
      const found = kept(this.#exchange.stage).get(handle);
      if (found === undefined) throw new Invalid('The session handle is not known.');
      this.#turns = [...found.turns];
      this.#heardTokens = found.heardTokens;
    }
    this.#setup = setup;
    this.#tell({ setupComplete: {} });
    this.#keep();
  }

  #keep(): void {
    if (this.#setup?.['sessionResumption'] === undefined) return;
    const newHandle = this.#exchange.stage.newId('handle-');
    kept(this.#exchange.stage).set(newHandle, { turns: [...this.#turns], heardTokens: this.#heardTokens });
    this.#tell({ sessionResumptionUpdate: { newHandle, resumable: true } });
  }

  async #content(body: JsonObject): Promise<void> {
    only(body, words('turns turnComplete'), 'client_content');
    await this.#interrupt();
    for (const turn of listIn(body, 'turns')) {
      const role = turn['role'] === 'model' ? 'assistant' : 'user';
      const parts = listIn(turn, 'parts');
      const text = parts.map((part) => textOf(part['text'])).join('');
      const images = parts.filter((part) => part['inlineData'] !== undefined).length;
      this.#turns.push({ ...plainTurn(role, text), images });
    }
    if (body['turnComplete'] === true) this.#answer();
  }

  async #input(body: JsonObject): Promise<void> {
    only(body, INPUT, 'realtime_input');
    if (body['activityStart'] !== undefined || body['activityEnd'] !== undefined) {
      if (this.#ear !== undefined)
        throw new Invalid('Explicit activity control is not supported when automatic activity detection is enabled.');
      if (body['activityStart'] !== undefined) await this.#interrupt();
      else this.#heard();
      return;
    }
    const { text } = body;
    if (typeof text === 'string') {
      await this.#interrupt();
      this.#turns.push(plainTurn('user', text));
      this.#answer();
      return;
    }
    const audio = objectIn(body, 'audio');
    if (audio['data'] === undefined) return;
    const [, rate] = /^audio\/pcm;rate=(\d+)$/.exec(textOf(audio['mimeType'])) ?? [];
    if (Number(rate) !== HEARD_RATE) throw new Invalid(`Unsupported audio: ${textOf(audio['mimeType'])}`);
    const samples = samplesOf(Buffer.from(textOf(audio['data']), 'base64'));
    this.#sound.push(samples);
    this.#heardTokens += (samples.length / HEARD_RATE) * TOKENS.heard;
    for (const { what } of this.#ear?.push(samples) ?? []) {
      if (what === 'started') await this.#interrupt();
      else this.#heard();
    }
  }

  /** What was said is over. */
  #heard(): void {
    const transcript = wordsIn(joined(this.#sound), HEARD_RATE);
    this.#sound = [];
    if (this.#setup?.['inputAudioTranscription'] !== undefined)
      this.#tell({ serverContent: { inputTranscription: { text: transcript } } });
    this.#turns.push({ ...plainTurn('user', transcript), audios: 1 });
    this.#answer();
  }

  async #results(body: JsonObject): Promise<void> {
    const results = listIn(body, 'functionResponses').map((each) => {
      const name = this.#calls.get(textOf(each['id']));
      if (name === undefined) throw new Invalid(`There is no function call ${textOf(each['id'])}.`);
      return { name, text: JSON.stringify(each['response'] ?? {}), isError: false };
    });
    this.#turns.push({ ...plainTurn('user', ''), results });
    this.#answer();
    await setImmediate();
  }

  async #interrupt(): Promise<void> {
    if (this.#running === undefined) return;
    this.#isInterrupted = true;
    await this.#running;
  }

  #answer(): void {
    this.#isInterrupted = false;
    this.#running = this.#speak().finally(() => (this.#running = undefined));
  }

  async #speak(): Promise<void> {
    const setup = this.#setup ?? {};
    const system = listIn(objectIn(setup, 'systemInstruction'), 'parts')
      .map((part) => textOf(part['text']))
      .join('\n');
    const said = this.#turns.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
    const markers = readMarkers(`${said}\n${system}`, this.#exchange.stage.seenMarkers);
    const most = objectIn(setup, 'generationConfig')['maxOutputTokens'];
    const answer: Answer = answerTo(
      {
        ...{
          model: textOf(setup['model']),
          system: '',
          turns: this.#turns,
          tools: this.#tools,
          choice: 'auto',
          parallel: true,
        },
        ...{ format: 'text', thinks: false, stop: [], search: false },
        ...(typeof most === 'number' && { mostTokens: most }),
      },
      markers,
    );
    const text = tokensOf(system) + this.#turns.reduce((sum, turn) => sum + tokensOf(turn.text), 0);
    if (markers.words.has('go-away')) this.#tell({ goAway: { timeLeft: '1s' } });
    if (answer.calls.length > 0) {
      this.#call(answer, text);
      return;
    }
    const pace = Number(markers.words.get('pace') ?? this.#exchange.stage.chunkDelayMs);
    const { spoken, audioMs } = await this.#deliver(answer.text, pace);
    this.#turns.push(plainTurn('assistant', spoken));
    const audio = Math.ceil((audioMs / 1000) * TOKENS.spoken);
    const usage = this.#usage(text, audioMs > 0 ? 0 : tokensOf(spoken), audio);
    if (this.#isInterrupted) this.#tell({ serverContent: { interrupted: true } });
    else this.#tell({ serverContent: { generationComplete: true } });
    this.#tell({ serverContent: { turnComplete: true }, usageMetadata: usage });
    this.#keep();
    if (markers.words.has('go-away')) this.#socket.close(GOING_AWAY, 'The session is over.');
  }

  #call({ calls }: Answer, text: number): void {
    const functionCalls = calls.map(({ name, input }) => {
      const id = this.#exchange.stage.newId('function-call-');
      this.#calls.set(id, name);
      return { id, name, args: input };
    });
    this.#turns.push(plainTurn('assistant', ''));
    const output = calls.reduce((sum, { name, input }) => sum + tokensOf(name) + tokensOf(JSON.stringify(input)), 0);
    this.#tell({ toolCall: { functionCalls }, usageMetadata: this.#usage(text, output, 0) });
  }

  async #deliver(text: string, pace: number): Promise<{ readonly spoken: string; readonly audioMs: number }> {
    const config = objectIn(this.#setup ?? {}, 'generationConfig');
    const pieces = text.split(/(?= )/);
    let spoken = '';
    if (Array.isArray(config['responseModalities']) && config['responseModalities'][0] === 'TEXT') {
      for (const piece of pieces) {
        if (this.#isInterrupted) break;
        this.#tell({ serverContent: { modelTurn: { parts: [{ text: piece }] } } });
        spoken += piece;
        await this.#pause(pace);
      }
      return { spoken, audioMs: 0 };
    }
    const spec = { kind: 'speech', text, voice: 'Kore', format: 'pcm', sung: false, speed: 1 } as const;
    const sound = await this.#exchange.stage.media.file(spec);
    const size = (SPOKEN_RATE * 2 * PIECE_MS) / 1000;
    const count = Math.max(1, Math.ceil(sound.length / size));
    let audioMs = 0;
    for (let at = 0; at < count && !this.#isInterrupted; at += 1) {
      const data = sound.subarray(at * size, (at + 1) * size);
      const part = { inlineData: { mimeType: `audio/pcm;rate=${SPOKEN_RATE}`, data: data.toString('base64') } };
      this.#tell({ serverContent: { modelTurn: { parts: [part] } } });
      audioMs += (data.length * 1000) / (SPOKEN_RATE * 2);
      const words = pieces.slice(
        Math.ceil((at * pieces.length) / count),
        Math.ceil(((at + 1) * pieces.length) / count),
      );
      spoken += words.join('');
      if (words.length > 0 && this.#setup?.['outputAudioTranscription'] !== undefined)
        this.#tell({ serverContent: { outputTranscription: { text: words.join('') } } });
      await this.#pause(pace);
    }
    return { spoken, audioMs };
  }

  async #pause(ms: number): Promise<void> {
    await this.#socket.drained();
    if (ms > 0) await pause(ms, undefined, { ref: false });
    else await setImmediate();
  }

  #usage(text: number, written: number, spoken: number): JsonObject {
    const heard = Math.ceil(this.#heardTokens);
    this.#exchange.record({
      ...{ kind: 'realtime', model: textOf(this.#setup?.['model']), stream: true, aborted: !this.#socket.isOpen },
      billed: {
        ...{ inputTokens: text + heard, inputAudioTokens: heard },
        ...{ outputTokens: written + spoken, outputAudioTokens: spoken },
      },
    });
    const details = (words: number, sound: number) => [
      ...(words > 0 ? [{ modality: 'TEXT', tokenCount: words }] : []),
      ...(sound > 0 ? [{ modality: 'AUDIO', tokenCount: sound }] : []),
    ];
    return {
      promptTokenCount: text + heard,
      responseTokenCount: written + spoken,
      totalTokenCount: text + heard + written + spoken,
      promptTokensDetails: details(text, heard),
      responseTokensDetails: details(written, spoken),
    };
  }
}

function parsed(data: Buffer): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(data.toString()) as Json;
  } catch {
    throw new Invalid('Invalid JSON payload received.');
  }
  if (!isJsonObject(value)) throw new Invalid('Invalid JSON payload received.');
  return value;
}

function only(value: JsonObject, names: ReadonlySet<string>, at: string): void {
  const stranger = Object.keys(value).find((name) => !names.has(name));
  if (stranger !== undefined)
    throw new Invalid(`Invalid JSON payload received. Unknown name "${stranger}" at '${at}': Cannot find field.`);
}

function objectIn(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isJsonObject(found) ? found : {};
}

function listIn(value: JsonObject, name: string): JsonObject[] {
  const found = value[name];
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}
