/** What the files of this folder share; it imports none of them. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatCall, ChatParts } from '../kinds/chat/types.ts';
import type { CallerLabels } from '../parts.ts';
import type { Sealing } from '../sealing.ts';

/** How conversations are made short; absent members: the model of the request, a prompt of the gateway's own. */
export interface CompactionSettings {
  readonly model?: string;
  readonly prompt?: string;
}

/** How responses are kept. */
export interface Keeping {
  readonly sealing: Sealing;
  /** Since they were used last, milliseconds. */
  readonly keepMs: number;
  /** Bytes of one owner and mode. */
  readonly mostBytes: number;
  readonly compaction?: CompactionSettings;
}

export type ResponseParts = ChatParts & {
  readonly keeping: Keeping;
  /** Unguessable name of this process, for what it works on. */
  readonly process: string;
  /** Answers in the background at once; 64 when absent. */
  readonly atOnce?: number;
  /** Tests: time of their own. */
  readonly pause?: (ms: number) => Promise<void>;
};

/** What is sealed of a request. */
export interface AskedRecord {
  /** The caller's own items. */
  readonly items: readonly JsonObject[];
  /** Of a request that is worked on in the background: all else that is needed to ask. */
  readonly call?: {
    readonly body: JsonObject;
    readonly headers: Readonly<Record<string, string>>;
    readonly endpoint: string;
    readonly control?: NonNullable<ChatCall['control']>;
    /** What further requests for the answer are charged under, as the answer itself. */
    readonly labels?: CallerLabels;
  };
}
