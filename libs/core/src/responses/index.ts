/** Responses in full: kept for their callers, gone on from with any model, answered in the background (docs/architecture.md#responses). */
import { createChat } from '../kinds/chat/chat-service.ts';
import type { Chat } from '../kinds/chat/types.ts';
import type { JsonObject } from '@model-gateway/contracts';
import type { Tenant } from '../ports.ts';
import { sweepInSteps } from '../sweep-in-steps.ts';
import { bodyAsAsked } from './as-asked.ts';
import { Compactor, openedBody, readingCompactions } from './compaction.ts';
import { Archive } from './archive.ts';
import { Background } from './background.ts';
import { createConversations, type Conversations } from './conversations.ts';
import { createEventLog } from './event-log.ts';
import { KeptChat } from './kept-chat.ts';
import { KeptCompletions } from './kept-completions.ts';
import { createKeptResponses, type KeptResponses } from './kept-responses.ts';
import { LiveResponses } from './live-responses.ts';
import type { ResponseParts } from './types.ts';

export { Compactor, readingCompactions } from './compaction.ts';
export { refusingKept } from './kept-chat.ts';
export type { CompletionPageQuery, KeptCompletions } from './kept-completions.ts';
export type { KeptResponses, Page, PageQuery } from './kept-responses.ts';
export type { Conversation, Conversations } from './conversations.ts';
export { createSealing, type Sealing } from '../sealing.ts';
export type { Keeping } from './types.ts';

const SWEEP_MS = 10 * 60_000;
const SWEPT_AT_ONCE = 500;

export interface Responses extends Pick<Background, 'workAll' | 'renew' | 'start' | 'stop'> {
  /** Chat for requests that may ask for something to be kept. */
  readonly chat: Chat;
  /** Makes conversations short. */
  readonly compactor: Chat;
  readonly kept: KeptResponses;
  /** Chat completions that are to be kept, and those that are. */
  readonly completions: KeptCompletions;
  readonly conversations: Conversations;
  /** A body as a model would be asked with it. Throws what the request itself would be refused with. */
  asAsked(tenant: Tenant, body: JsonObject): Promise<JsonObject>;
  /** Removes what is out of date; runs by itself every ten minutes. */
  sweep(): Promise<void>;
}

/** Makes the keeping of one process; `chat` answers what asks for nothing to be kept. */
export function createResponses(parts: ResponseParts, plain: Chat = createChat(parts)): Responses {
  const { store, now, log, keeping } = parts;
  const { sealing } = keeping;
  const chat = readingCompactions(plain, sealing);
  const archive = new Archive(parts);
  const events = createEventLog(parts, archive);
  const background = new Background(parts, archive, events);
  const live = new LiveResponses();
  let timer: NodeJS.Timeout | undefined;
  const sweep = async (): Promise<void> => {
    try {
      await sweepInSteps({ remove: (limit) => store.responses.sweep(now(), limit), limit: SWEPT_AT_ONCE });
    } catch (error) {
      log.warn({ err: error }, 'responses that are out of date could not be removed');
    }
  };
  return {
    chat: new KeptChat({ parts, chat, archive, enqueue: background.enqueue, live }),
    kept: createKeptResponses({ store, now, archive, background, events, live }),
    completions: new KeptCompletions(parts, plain, archive),
    conversations: createConversations(parts, archive),
    compactor: new Compactor(parts, chat, { ...keeping, archive }),
    asAsked: async (tenant, body) =>
      openedBody(await bodyAsAsked({ store, now, archive }, tenant, body), tenant, sealing),
    sweep,
    workAll: () => background.workAll(),
    renew: () => background.renew(),
    start() {
      timer = setInterval(() => void sweep(), SWEEP_MS);
      timer.unref();
      void sweep();
      background.start();
    },
    async stop() {
      clearInterval(timer);
      await background.stop();
    },
  };
}
