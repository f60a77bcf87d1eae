/** The chat of a gateway: what is configured, put around what asks the vendors. What is not configured is not on a request's way. */
import {
  createCachedChat,
  createChat,
  guardedChat,
  perObject,
  sayingRefusals,
  withFinalMessages,
  type AnswerCache,
  type Catalogue,
  type Chat,
  type ChatParts,
  type InlinedFiles,
  type McpChats,
} from '@model-gateway/core';

export interface ChatChainParts {
  readonly parts: ChatParts;
  readonly cache: AnswerCache;
  readonly inlined: InlinedFiles;
  readonly mcpChats: McpChats;
}

/** The chains of one configuration. */
interface Chains {
  readonly plain: Chat;
  /** For callers who want a refusal by a limit said as the last message of the model. */
  readonly sayingLimits: Chat;
}

/** Makes the chat; its chains are put together once for each configuration. */
export function createChatChain(of: ChatChainParts): Chat {
  const { parts } = of;
  const vendors = createChat(parts);
  const chainsFor = perObject((catalogue: Catalogue): Chains => {
    const innermost = catalogue.caches === true ? createCachedChat({ ...parts, cache: of.cache }, vendors) : vendors;
    return {
      plain: outer(of, catalogue, innermost),
      sayingLimits: sayingRefusals(outer(of, catalogue, withFinalMessages(innermost, parts)), parts),
    };
  });
  return {
    answer(call, trace) {
      const chains = chainsFor(parts.catalogue());
      return call.onLimit === undefined ? chains.plain.answer(call, trace) : chains.sayingLimits.answer(call, trace);
    },
  };
}

/** Guardrails stand around the cache: what is asked is masked before it is looked for, and what was kept is looked through again. */
function outer({ parts, inlined, mcpChats }: ChatChainParts, { guardrails, mcp }: Catalogue, chat: Chat): Chat {
  const guarded = guardrails === undefined ? chat : guardedChat(chat, parts);
  const withFiles = inlined.chat(guarded);
  return mcp === undefined ? withFiles : mcpChats.chat(withFiles);
}
