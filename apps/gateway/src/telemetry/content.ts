/** Messages of a chat request as the GenAI conventions write them: `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.system_instructions`. Only where an operator has asked for them. */
import type { Attributes } from '@opentelemetry/api';
import type { DialectName, Json } from '@model-gateway/contracts';
import type { Sink } from '@model-gateway/core';
import {
  createSseParser,
  dialects,
  type AssistantPart,
  type ChatEvent,
  type MediaSource,
  type Turn,
  type UserPart,
} from '@model-gateway/translate';

/** What is kept of an answer: enough to find the recorded characters in it, however wordy its dialect is. */
const BYTES_PER_CHARACTER = 16;

export interface HeardChat {
  readonly dialect: DialectName;
  readonly model: string;
  readonly body: Json;
  readonly stream: boolean;
}

/** Listens to one answer. */
export interface ContentListener {
  /** The sink itself, which is listened to. */
  sink(sink: Sink): Sink;
  whole(body: Uint8Array | string): void;
  attributes(): Attributes;
}

/** Makes the listener of one chat request; it keeps `limit` characters of the messages, the newest ones of what was asked. */
export function listenToChat(heard: HeardChat, limit: number): ContentListener {
  const chunks: Buffer[] = [];
  let size = 0;
  const keep = (chunk: Uint8Array | string): void => {
    if (size >= limit * BYTES_PER_CHARACTER) return;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
  };
  return {
    sink: (sink) => ({
      write(chunk) {
        keep(chunk);
        return sink.write(chunk);
      },
      drained: () => sink.drained(),
    }),
    whole: keep,
    attributes: () => ({ ...askedFor(heard, limit), ...answered(heard, Buffer.concat(chunks), limit) }),
  };
}

type Part = Readonly<Record<string, Json>>;
interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

function askedFor({ dialect, model, body, stream }: HeardChat, limit: number): Attributes {
  try {
    const { system, turns } = dialects[dialect].decodeRequest(body, { model, stream });
    const messages = turns.map(({ role, parts }: Turn) => ({ role: roleOf(role, parts), parts: parts.map(partOf) }));
    const instructions = system.map(partOf);
    return {
      'gen_ai.input.messages': JSON.stringify(newest(messages, limit)),
      ...(instructions.length > 0 && {
        'gen_ai.system_instructions': JSON.stringify(
          newest([{ role: 'system', parts: instructions }], limit)[0]?.parts,
        ),
      }),
    };
  } catch {
    // A body that is forwarded as it came may have what no decoder knows.
    return {};
  }
}

function answered({ dialect, stream }: HeardChat, bytes: Buffer, limit: number): Attributes {
  try {
    const messages = stream ? streamed(dialect, bytes) : whole(dialect, bytes);
    return messages.length === 0 ? {} : { 'gen_ai.output.messages': JSON.stringify(newest(messages, limit)) };
  } catch {
    return {};
  }
}

function whole(dialect: DialectName, bytes: Buffer): readonly Message[] {
  const { choices } = dialects[dialect].decodeReply(JSON.parse(bytes.toString('utf8')) as Json);
  return choices.map(({ parts, stop }) => ({ role: 'assistant', parts: parts.map(partOf), finish_reason: stop }));
}

/** What of a stream was kept: its text by choice, and the tools it calls. */
function streamed(dialect: DialectName, bytes: Buffer): readonly Message[] {
  const parser = createSseParser();
  const decoder = dialects[dialect].streamDecoder();
  const blocks = new Map<number, { type: string; name?: string; id?: string; text: string }>();
  let finish: string | undefined;
  const hear = (event: ChatEvent): void => {
    if (event.type === 'text-start' || event.type === 'refusal-start')
      blocks.set(event.block, { type: 'text', text: '' });
    else if (event.type === 'reasoning-start') blocks.set(event.block, { type: 'reasoning', text: '' });
    else if (event.type === 'tool-call-start')
      blocks.set(event.block, { type: 'tool_call', id: event.id, name: event.name, text: '' });
    else if (event.type === 'delta') {
      const block = blocks.get(event.block);
      if (block !== undefined) block.text += event.text;
    } else if (event.type === 'finish') finish = event.stop;
  };
  for (const event of parser.push(bytes)) decoder.push(event).forEach(hear);
  const parts = [...blocks.values()].map(({ type, id = '', name = '', text }): Part =>
    type === 'tool_call' ? { type, id, name, arguments: text } : { type, content: text },
  );
  if (parts.length === 0) return [];
  return [{ role: 'assistant', parts, ...(finish !== undefined && { finish_reason: finish }) }];
}

function roleOf(role: Turn['role'], parts: Turn['parts']): string {
  return role === 'user' && parts.length > 0 && parts.every(({ type }) => type === 'tool-result') ? 'tool' : role;
}

function partOf(part: UserPart | AssistantPart): Part {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', content: part.text };
    case 'reasoning':
      return { type: 'reasoning', content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: part.arguments };
    case 'tool-result': {
      const content = part.content.map((one) => (one.type === 'text' ? one.text : `[${one.type}]`)).join('\n');
      return { type: 'tool_call_response', id: part.callId, content };
    }
    case 'server-tool':
      return { type: 'tool_call', id: part.id ?? '', name: part.name, arguments: part.query ?? '' };
    case 'document':
      return part.source.type === 'text'
        ? { type: 'text', content: part.source.text }
        : mediaOf('document', part.source);
    default:
      return mediaOf(part.type, part.source);
  }
}

/** Never the bytes. */
function mediaOf(modality: string, source: MediaSource): Part {
  if (source.type === 'url') return { type: 'uri', modality, uri: source.url };
  if (source.type === 'file') return { type: 'file', modality, file_id: source.id };
  return { type: 'blob', modality, mime_type: source.mime, content: '' };
}

/** From the newest message backwards, as much as there is room for. */
function newest(messages: readonly Message[], limit: number): readonly Message[] {
  let left = limit;
  const kept: Message[] = [];
  for (const message of messages.toReversed()) {
    if (left <= 0) break;
    kept.unshift({
      ...message,
      parts: message.parts.map((part) =>
        Object.fromEntries(
          Object.entries(part).map(([name, value]): [string, Json] => {
            if (typeof value !== 'string') return [name, value];
            const cut = value.slice(0, Math.max(0, left));
            left -= cut.length;
            return [name, cut];
          }),
        ),
      ),
    });
  }
  return kept;
}
