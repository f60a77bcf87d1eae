/** The two bodies that ask for speech, as the neutral form. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { SpeechCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { wrongField } from '../../wrong-field.ts';

/**
 * docs/service.md's chat form: the text is the assistant message, an optional user message says how. The text goes on byte for byte.
 * Throws `invalid_request` naming the place.
 */
export function speechOfChat(body: JsonObject, row: ModelRow, asked: ModelRow = row): SpeechCreate {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  let text: string | undefined;
  let instructions: string | undefined;
  messages.forEach((message, index) => {
    if (!isJsonObject(message)) return;
    const content = contentOf(message['content'] ?? null, `messages[${index}].content`);
    if (message['role'] === 'assistant') text = content;
    else if (message['role'] === 'user' && content !== '') instructions = content;
  });
  if (text === undefined) {
    throw new GatewayError(
      'invalid_request',
      'there is no assistant message; put the text to speak into a message with role assistant',
      { param: 'messages' },
    );
  }
  if (text === '')
    throw new GatewayError('invalid_request', 'the assistant message is empty: there is nothing to speak', {
      param: 'messages',
    });
  const audio = isJsonObject(body['audio']) ? body['audio'] : {};
  const stream = body['stream'] === true;
  const format = typeof audio['format'] === 'string' ? audio['format'] : stream ? 'pcm16' : 'wav';
  if (stream && format !== 'pcm16') {
    throw new GatewayError(
      'invalid_request',
      `audio.format is ${format}; a stream carries pcm16 (24 kHz, little-endian, mono)`,
      { param: 'audio.format' },
    );
  }
  checkFormat(format, row, 'audio.format');
  const {
    model: _model,
    messages: _messages,
    audio: _audio,
    stream: _stream,
    modalities: _modalities,
    ...extra
  } = body;
  return {
    shape: 'chat',
    text,
    format,
    stream,
    ...(instructions !== undefined && { instructions }),
    ...voiceOf(audio['voice'] ?? null, row, { param: 'audio.voice', isAsked: row === asked }),
    extra,
  };
}

/** OpenAI's speech form, for the model that was `asked` for or another that its row leads to. Throws `invalid_request` naming the field. */
export function speechOfSpeech(body: JsonObject, row: ModelRow, asked: ModelRow = row): SpeechCreate {
  const { model: _model, input, voice, instructions, response_format, speed, stream_format, ...extra } = body;
  if (typeof input !== 'string') throw wrongField('input', 'must be a text');
  const longest = row.limits['max_characters'];
  if (typeof longest === 'number' && charactersOf(input) > longest) {
    throw new GatewayError(
      'invalid_request',
      `input has ${charactersOf(input)} characters; this model speaks at most ${longest}`,
      { param: 'input' },
    );
  }
  const formats = formatsOf(row);
  const wanted =
    typeof response_format === 'string'
      ? response_format
      : formats.includes('mp3') || formats.length === 0
        ? 'mp3'
        : 'wav';
  const format = wanted === 'pcm' ? 'pcm16' : wanted;
  checkFormat(format, row, 'response_format');
  return {
    shape: 'speech',
    body,
    text: input,
    format,
    stream: format === 'pcm16',
    ...(stream_format === 'sse' && { asEvents: true }),
    ...(typeof instructions === 'string' && instructions !== '' && { instructions }),
    ...voiceOf(voice ?? null, row, { param: 'voice', isAsked: row === asked }),
    ...(typeof speed === 'number' && { speed }),
    extra,
  };
}

function contentOf(content: Json, param: string): string {
  if (typeof content === 'string') return content;
  if (content === null) return '';
  if (!Array.isArray(content)) throw new GatewayError('invalid_request', `${param} must be a text`, { param });
  return content.map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

function formatsOf(row: ModelRow): string[] {
  const { formats } = row.limits;
  return Array.isArray(formats) ? formats.filter((each) => typeof each === 'string') : [];
}

function checkFormat(format: string, row: ModelRow, param: string): void {
  const formats = formatsOf(row);
  if (formats.length > 0 && !formats.includes(format)) {
    throw new GatewayError('invalid_request', `${param} is ${format}; this model makes ${formats.join(', ')}`, {
      param,
    });
  }
}

/** A voice that nobody listed is for the vendor to judge; another model that the row leads to must have it. */
function voiceOf(
  voice: Json,
  row: ModelRow,
  { param, isAsked }: { readonly param: string; readonly isAsked: boolean },
): { voice?: string } {
  const name = isJsonObject(voice) ? voice['id'] : voice;
  if (name === null || name === undefined) return {};
  if (typeof name !== 'string') throw wrongField(param, 'must be the name of a voice');
  if (!isAsked && row.voices.length > 0 && !row.voices.includes(name))
    throw wrongField(param, `is '${name.slice(0, 60)}'; this model's voices are ${row.voices.join(', ')}`);
  return { voice: name };
}

/** Unicode code points: what vendors call characters. */
function charactersOf(text: string): number {
  return Array.from(text).length;
}
