import type { Turn } from '../chat/talk.ts';
import type { Block, Message } from './blocks.ts';
import { badMessage } from './errors.ts';

/** A turn as the server sees it: neighbouring messages of one role are one. */
interface Merged {
  readonly role: Message['role'];
  readonly path: string;
  readonly blocks: Block[];
}

/** Checks who may follow whom (docs/wire/anthropic-messages.md#ordering-rules) and answers with the conversation. */
export function orderedTurns(
  messages: readonly Message[],
  thinkingEnabled: boolean,
): { system: string[]; turns: Turn[] } {
  const first = messages.find((message) => message.role !== 'system');
  if (first !== undefined && first.role !== 'user')
    throw badMessage('messages: first message must use the "user" role');
  messages.forEach((message, index) => {
    const last = index === messages.length - 1 && message.role === 'assistant';
    const empty =
      message.blocks.length === 0 || message.blocks.every((block) => block.type === 'text' && block.text === '');
    if (empty && !last) {
      throw badMessage(
        `${message.path}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
  });
  const merged = merge(messages.filter((message) => message.role !== 'system'));
  merged.forEach((turn, index) => checkCalls(turn, merged[index + 1], merged[index - 1]));
  if (thinkingEnabled) checkThinking(merged);
  const names = new Map<string, string>();
  const turns = merged.map((turn) => toTurn(turn, names));
  const system = messages.filter((message) => message.role === 'system');
  return { system: system.flatMap((message) => message.blocks.map((block) => block.text)), turns };
}

function merge(messages: readonly Message[]): Merged[] {
  const merged: Merged[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    if (before?.role === message.role) before.blocks.push(...message.blocks);
    else merged.push({ role: message.role, path: message.path, blocks: [...message.blocks] });
  }
  return merged;
}

function checkCalls(turn: Merged, next: Merged | undefined, before: Merged | undefined): void {
  if (turn.role === 'assistant') {
    const asked = turn.blocks.flatMap((block) =>
      block.type === 'tool_use' && block.toolId !== undefined ? [block.toolId] : [],
    );
    const given = leadingResults(next);
    const open = asked.filter((id) => !given.includes(id));
    if (open.length > 0) {
      const message =
        `${turn.path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. ` +
        'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
      throw badMessage(message);
    }
    if (new Set(asked).size < asked.length) throw badMessage(`${turn.path}: \`tool_use\` ids must be unique`);
    return;
  }
  const known = (before?.blocks ?? []).filter((block) => block.type === 'tool_use').map((block) => block.toolId);
  for (const block of turn.blocks) {
    if (block.type !== 'tool_result' || known.includes(block.toolId)) continue;
    const message =
      `${block.path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.toolId ?? ''}. ` +
      'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.';
    throw badMessage(message);
  }
}

/** Results count only before any other content of their message. */
function leadingResults(turn: Merged | undefined): (string | undefined)[] {
  const blocks = turn?.role === 'user' ? turn.blocks : [];
  const end = blocks.findIndex((block) => block.type !== 'tool_result');
  return blocks.slice(0, end === -1 ? blocks.length : end).map((block) => block.toolId);
}

/** In the middle of a tool conversation, the assistant's turn must still begin with its own thinking. */
function checkThinking(merged: readonly Merged[]): void {
  const last = merged.at(-1);
  const assistant = merged.at(-2);
  if (last?.role !== 'user' || !last.blocks.some((block) => block.type === 'tool_result')) return;
  const first = assistant?.blocks[0];
  if (first === undefined || first.type === 'thinking' || first.type === 'redacted_thinking') return;
  const message =
    `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, ` +
    'a final `assistant` message must start with a thinking block (preceding the last set of `tool_use` and `tool_result` blocks).';
  throw badMessage(message);
}

function toTurn({ role, blocks }: Merged, names: Map<string, string>): Turn {
  for (const { type, toolId, toolName } of blocks) {
    if (type === 'tool_use' && toolId !== undefined) names.set(toolId, toolName ?? '');
  }
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    text: blocks
      .filter((block) => block.type === 'text')
      .map((block) => block.text)
      .join('\n'),
    images: blocks.reduce((sum, block) => sum + block.images, 0),
    documents: blocks.reduce((sum, block) => sum + block.documents, 0),
    audios: 0,
    results: blocks
      .filter((block) => block.type === 'tool_result')
      .map(({ toolId, text, isError }) => ({ name: names.get(toolId ?? '') ?? '', text, isError: isError ?? false })),
  };
}
