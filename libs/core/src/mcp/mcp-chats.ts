/** Chat whose models may use tools of MCP servers: the gateway calls them, and asks the model again with what came of it. */
import type { JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { CountCall, TokenCount } from '../kinds/chat/count.ts';
import type { Chat, ChatAnswer, ChatCall, ChatTrace } from '../kinds/chat/types.ts';
import { newTrace } from '../paid/trace.ts';
import type { McpChatOptions } from './chat-tools.ts';
import { isOfferedTo, type ChatBounds, type McpSettings } from './settings.ts';

/** What the operator's MCP servers are for chats, and for what counts or estimates their requests. */
export class McpChats {
  readonly #options: McpChatOptions;

  constructor(options: McpChatOptions) {
    this.#options = options;
  }

  /** The chat, whose models may use tools of servers; what has nothing to do with the servers is passed on as it came. */
  chat(chat: Chat): Chat {
    return {
      answer: (call, trace = newTrace()) => {
        const { mcp } = this.#options.parts.catalogue();
        if (mcp === undefined || !mayConcern(mcp, call)) return chat.answer(call, trace);
        return this.#answerWithTools(mcp, chat, { call, trace });
      },
    };
  }

  /** Kept responses, of which those in the background have no turns of their own: what names a server of the operator’s is refused. */
  withoutBackground(kept: Chat): Chat {
    const check = async (call: ChatCall, bounds: ChatBounds): Promise<void> => {
      const { chosenServers } = await import('./chat-tools.ts');
      chosenServers(call, { ...this.#options, bounds });
    };
    return {
      answer: (call, trace) => {
        const { mcp } = this.#options.parts.catalogue();
        const { json } = call.body;
        if (mcp === undefined || json['background'] !== true || dialects[call.dialect].mcp?.isNamed(json) !== true)
          return kept.answer(call, trace);
        return check(call, mcp.chat).then(() => kept.answer(call, trace));
      },
    };
  }

  /** The body as a model would be asked with it first; the same one where it has nothing to do with the operator’s servers. */
  async asAsked(call: CountCall): Promise<JsonObject> {
    const { mcp } = this.#options.parts.catalogue();
    const { json } = call.body;
    if (mcp === undefined || !mayConcern(mcp, call)) return json;
    const { ChatTools } = await import('./chat-tools.ts');
    const tools = await ChatTools.open(call, newTrace(), { ...this.#options, bounds: mcp.chat });
    if (tools === undefined) return json;
    const asked = tools.form.asked(json, tools.offer(new Map()));
    // What is only of the gateway’s own turns is nothing that the caller has said.
    return Object.fromEntries(Object.entries(asked).filter(([name]) => name === 'tools' || Object.hasOwn(json, name)));
  }

  /** Counts what a model would be asked with: tools of servers are a part of it. */
  counting(count: (call: CountCall) => Promise<TokenCount>): (call: CountCall) => Promise<TokenCount> {
    return async (call) => {
      const json = await this.asAsked(call);
      return count(
        json === call.body.json ? call : { ...call, body: { json, bytes: Buffer.from(JSON.stringify(json)) } },
      );
    };
  }

  async #answerWithTools({ chat: bounds }: McpSettings, chat: Chat, { call, trace }: Answering): Promise<ChatAnswer> {
    const { ChatTools } = await import('./chat-tools.ts');
    const tools = await ChatTools.open(call, trace, { ...this.#options, bounds });
    if (tools === undefined) return chat.answer(call, trace);
    const { ToolLoop } = await import('./tool-loop.ts');
    return new ToolLoop(call, trace, { ...this.#options, chat, bounds, tools }).answer();
  }
}

interface Answering {
  readonly call: ChatCall;
  readonly trace: ChatTrace;
}

/** Whether a chat names servers, goes on from what they did, or is offered one in any case. */
function mayConcern(
  { servers }: McpSettings,
  { dialect, body, model, caller, purpose }: CountCall & Pick<ChatCall, 'purpose'>,
): boolean {
  const { mcp } = dialects[dialect];
  if (mcp === undefined || purpose !== undefined || servers.length === 0) return false;
  if (mcp.isNamed(body.json) || mcp.remembers?.(body.json) === true) return true;
  return servers.some((server) => isOfferedTo(server, model, caller.key));
}
