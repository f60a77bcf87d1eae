/** The words of a chat, message by message, whatever its format: for people who read it. */
import { isJsonObject, type DialectName, type Json, type JsonObject } from '@model-gateway/contracts';
import { dialects, textAt, type TextPlace } from '@model-gateway/translate';

export interface SaidMessage {
  /** As the caller's format calls it; `system` for instructions, `assistant` for the answer. */
  readonly role: string;
  readonly text: string;
}

/** Those of the request in their order, and those of the answer at the end. Throws nothing. */
export function wordsOf(dialect: DialectName, request: Json, answer: Json): readonly SaidMessage[] {
  const { texts } = dialects[dialect];
  return [
    ...messagesIn(request, (body) => texts.inRequest(body)),
    ...messagesIn(answer, (body) => texts.inReply(body)).map(({ text }) => ({ role: 'assistant', text })),
  ];
}

function messagesIn(body: Json, placesIn: (body: JsonObject) => readonly TextPlace[]): readonly SaidMessage[] {
  if (!isJsonObject(body)) return [];
  const messages = new Map<string, { role: string; texts: string[] }>();
  let places: readonly TextPlace[] = [];
  try {
    places = placesIn(body).filter(({ kind }) => kind === undefined);
  } catch {
    // A body that was cut may have another form than its format wants.
  }
  for (const place of places) {
    const [where = '', name = '', index] = /^([^.[]+)(?:\[(\d+)\])?/.exec(place.param) ?? [];
    let message = messages.get(where);
    if (message === undefined) messages.set(where, (message = { role: roleOf(body, name, index), texts: [] }));
    message.texts.push(textAt(place));
  }
  return [...messages.values()].map(({ role, texts: all }) => ({ role, text: all.join('\n') }));
}

const INSTRUCTIONS = /^(?:system|instructions|system_instruction|systemInstruction)$/;

function roleOf(body: JsonObject, name: string, index: string | undefined): string {
  if (INSTRUCTIONS.test(name)) return 'system';
  const list = body[name];
  const message = index !== undefined && Array.isArray(list) ? list[Number(index)] : undefined;
  // What stands for messages that were cut.
  if (typeof message === 'string') return 'note';
  if (!isJsonObject(message)) return 'user';
  const { role, type } = message;
  if (typeof role === 'string') return role;
  return typeof type === 'string' && type !== 'message' ? type : 'user';
}
