/** What the primary, its workers and the process of the twin say to each other. */
import type { AccountUse, Demand, HealthNews, Verdict } from '@model-gateway/core';
import type { TwinAddress } from '../config/catalogue.ts';
import type { Config } from '../config/config.ts';

/** Tells a process of the gateway what it is; set by the primary alone. */
export const ROLE = 'GATEWAY_PROCESS';
export type Role = 'worker' | 'twin';

/** The twin, as a worker that has none of its own needs it. */
export interface TwinPlace {
  readonly url: string;
  /** Whom it answers for, and where. */
  readonly standIns: readonly (TwinAddress & { readonly vendor: string; readonly wire?: string })[];
}

/** What a worker begins with. */
export interface Beginning {
  readonly config: Config;
  /** 1 and up. */
  readonly worker: number;
  readonly workers: number;
  /** The one that finds out whether everything can be had, and welcomes people. */
  readonly isFirst: boolean;
  /** Open in the primary. */
  readonly port: number;
  readonly adminPort?: number;
  readonly twin: TwinPlace | undefined;
  /** When the primary had the database to itself; milliseconds since 1970. */
  readonly aloneSince: number | undefined;
}
/** A worker that takes requests. */
export interface Ready {
  readonly url: string;
  /** The welcome for people: only the first worker's is shown. */
  readonly welcome: string;
}

/** The port that people call, or the admin API's own. */
export type Which = 'public' | 'admin';

/** One thing that is asked over a channel, and answered. */
export interface Questions {
  readonly forgetKeys: { readonly given: undefined; readonly answer: undefined };
  readonly flush: { readonly given: undefined; readonly answer: undefined };
  readonly takeEntries: { readonly given: undefined; readonly answer: undefined };
  readonly metricsPage: { readonly given: undefined; readonly answer: string };
  readonly accounts: { readonly given: undefined; readonly answer: readonly unknown[] };
}
export type Question = keyof Questions;

export type ToWorker =
  | { readonly kind: 'begin'; readonly beginning: Beginning }
  | { readonly kind: 'reload'; readonly config: Config }
  | { readonly kind: 'stop' }
  /** With a connection beside it. */
  | { readonly kind: 'connection'; readonly id: number; readonly which: Which }
  /** No connection comes any more. */
  | { readonly kind: 'noMore' }
  | { readonly kind: 'verdicts'; readonly verdicts: readonly Verdict[] }
  | { readonly kind: 'health'; readonly news: HealthNews }
  | { readonly kind: 'used'; readonly uses: readonly AccountUse[] }
  /** By all workers, when this one begins. */
  | { readonly kind: 'usedToday'; readonly uses: readonly AccountUse[] }
  | { readonly kind: 'guessed'; readonly address: string }
  /** The primary asks this worker. */
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  /** What all workers answered to a question of this one. */
  | { readonly kind: 'answers'; readonly id: number; readonly answers: readonly unknown[] };

export type FromWorker =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'ready'; readonly ready: Ready }
  | { readonly kind: 'taken'; readonly id: number }
  /** It begins to close, and wants no connections. */
  | { readonly kind: 'leaving' }
  /** In the order of things; a demand is answered by a verdict, in the same order. */
  | { readonly kind: 'counts'; readonly steps: readonly CountStep[] }
  | { readonly kind: 'health'; readonly news: HealthNews }
  | { readonly kind: 'used'; readonly uses: readonly AccountUse[] }
  | { readonly kind: 'guessed'; readonly address: string }
  /** This worker asks all, itself too. */
  | { readonly kind: 'askAll'; readonly id: number; readonly question: Question }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown };

export type CountStep =
  | { readonly demand: Demand }
  | { readonly end: Demand; readonly verdict: Pick<Verdict, 'bucket'>; readonly usedTokens: number };

export type ToTwin =
  | { readonly kind: 'begin'; readonly config: Config; readonly port: number | undefined }
  /** Where people reach the gateway: known when its port is open. */
  | { readonly kind: 'gatewayUrl'; readonly url: string };
export type FromTwin = { readonly kind: 'loaded' } | { readonly kind: 'ready'; readonly twin: TwinPlace | undefined };
