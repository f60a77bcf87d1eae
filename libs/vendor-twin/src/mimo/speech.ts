import { unixSeconds } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Reader } from '../core/reader.ts';
import { tokensOf } from '../chat/talk.ts';
import type { SpeechSpec } from '../media/spec.ts';
import { secondsOf } from '../media/speech.ts';
import { badRequest, complainAsOpenAi, openAiError } from '../openai/errors.ts';

const VOICES = ['mimo_default', '冰糖', '茉莉', '苏打', '白桦', 'Mia', 'Chloe', 'Milo', 'Dean'];
const OLD_VOICES = ['mimo_default', 'default_zh', 'default_en'];
const LONGEST = 20_000;
const SONG = /^[(（](唱歌|sing|singing)[)）]/i;
/** Tags set the style; they are not spoken. */
const TAGS = /^[(（][^)）]*[)）]|\[[^\]]*\]|（[^）]*）/g;
/** An odd number of bytes, so that samples are cut in the middle. */
const PIECE = 4801;

/** Speech is asked for by the model's name alone. */
export function isSpeechModel(exchange: Exchange): boolean {
  return (
    /"model"\s*:\s*"[^"]*tts/.test(exchange.body.subarray(0, 4096).toString('latin1')) ||
    /"model"\s*:\s*"[^"]*tts/.test(exchange.body.toString('utf8'))
  );
}

interface SpeechOrder {
  readonly model: string;
  readonly text: string;
  readonly voice: string;
  readonly format: 'wav' | 'mp3' | 'pcm16';
  readonly stream: boolean;
}

/** Speech synthesis through chat-completions (docs/wire/speech.md#mimo). */
export async function speak(exchange: Exchange): Promise<void> {
  const order = readSpeech(exchange.json(complainAsOpenAi));
  const markers = await exchange.obey(order.text);
  if (markers.words.has('refuse'))
    throw badRequest('The request was rejected because it was considered high risk.', 'messages', 'content_filter');
  const text = withoutMarkers(order.text);
  const spec: SpeechSpec = {
    kind: 'speech',
    text: text.replace(TAGS, ''),
    voice: order.voice.slice(0, 100),
    format: order.format === 'pcm16' ? 'pcm' : order.format,
    sung: SONG.test(text),
    speed: 1,
  };
  const file = await exchange.stage.media.file(spec);
  const input = tokensOf(order.text);
  const seconds = secondsOf(spec);
  const output = Math.ceil(seconds * 25);
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const bill = (aborted: boolean): void =>
    exchange.record({
      kind: 'speech',
      model: order.model,
      stream: order.stream,
      aborted,
      billed: {
        inputTokens: input,
        outputTokens: output,
        outputAudioTokens: output,
        characters: order.text.length,
        seconds,
      },
    });
  const base = { id: exchange.stage.newId(''), created: unixSeconds(exchange.stage.now()), model: order.model };
  if (order.stream) {
    await sendStream(exchange, file, { base, usage, bill });
    return;
  }
  bill(false);
  const audio = {
    id: exchange.stage.newId('audio_'),
    data: file.toString('base64'),
    expires_at: null,
    transcript: null,
  };
  const message = { role: 'assistant', content: '', audio };
  exchange.reply(200, {
    ...base,
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage,
  });
}

interface Stream {
  readonly base: Readonly<Record<string, unknown>>;
  readonly usage: Readonly<Record<string, number>>;
  readonly bill: (aborted: boolean) => void;
}

async function sendStream(exchange: Exchange, file: Buffer, { base, usage, bill }: Stream): Promise<void> {
  const error = `data: ${JSON.stringify({ error: openAiError(500) })}\n\n`;
  const events = exchange.events({ 'content-type': 'text/event-stream; charset=utf-8' }, error);
  const send = async (delta: object, finish_reason: string | null): Promise<boolean> => {
    const chunk = { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] };
    return events.send(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  await send({ role: 'assistant', content: '' }, null);
  for (let at = 0; at < file.length; at += PIECE) {
    const data = file.subarray(at, at + PIECE).toString('base64');
    if (!(await send({ audio: { data } }, null))) {
      bill(true);
      return;
    }
  }
  await send({}, 'stop');
  await events.send(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  bill(!events.open);
  await events.send('data: [DONE]\n\n');
  events.end();
}

function readSpeech(body: Reader): SpeechOrder {
  const model = body.string('model');
  const messages = body.objects('messages');
  const last = messages.at(-1);
  const design = model.includes('voicedesign');
  for (const message of messages) message.oneOf('role', ['system', 'user', 'assistant'] as const);
  const style = messages.some((message) => message.value['role'] === 'user');
  const audio = body.object('audio');
  if (last?.value['role'] !== 'assistant') {
    const previews = design && audio.optionalBoolean('optimize_text_preview') === true;
    if (!previews)
      throw badRequest("The last message must be of role 'assistant' and hold the text to speak.", 'messages');
  }
  if (design && !style) throw badRequest('voicedesign needs a user message that describes the voice.', 'messages');
  const text = last?.value['role'] === 'assistant' ? last.string('content', LONGEST) : 'preview';
  const stream = body.optionalBoolean('stream') ?? false;
  const format = audio.optionalOneOf('format', ['wav', 'mp3', 'pcm16'] as const) ?? 'wav';
  if (stream && format !== 'pcm16')
    throw badRequest(`Streaming needs audio.format 'pcm16', not '${format}'.`, 'audio.format');
  return { model, text, voice: readVoice(audio, model), format, stream };
}

function readVoice(audio: Reader, model: string): string {
  const voice = audio.optionalString('voice');
  if (model.includes('voicedesign')) {
    if (voice !== undefined) throw badRequest('voicedesign takes no audio.voice.', 'audio.voice');
    return 'designed';
  }
  if (model.includes('voiceclone')) {
    if (voice === undefined || !/^data:audio\/(wav|x-wav|mpeg|mp3);base64,/.test(voice)) {
      throw badRequest('voiceclone needs audio.voice as a data URL of a wav or mp3 recording.', 'audio.voice');
    }
    return voice;
  }
  const known = model.startsWith('mimo-v2-tts') ? OLD_VOICES : VOICES;
  if (voice === undefined || known.includes(voice)) return voice ?? 'mimo_default';
  throw badRequest(`Invalid audio.voice '${voice}': expected one of ${known.join(', ')}.`, 'audio.voice');
}
