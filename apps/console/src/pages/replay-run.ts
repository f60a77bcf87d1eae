/** Sends a sample of recorded requests to another model, with a key that can spend the budget and no more. */
import { moneyLimitOf } from '@model-gateway/contracts';
import { api, ask, type Schemas } from '../api/api.ts';
import { send } from '../api/connection.ts';
import { faultOf } from '../api/fault.ts';
import { ownersAndKeys } from '../ui/names.tsx';

type Replay = Schemas['RequestReplay'];
type Answer = Schemas['ReplayAnswer'];

/** Requests that are looked at for their content. */
const MOST_LOOKED_AT = 500;
const KEY_MS = 3_600_000;
/** Budgets and limits of the people who asked first are not touched. */
const IDENTITY = { 'x-gateway-user': 'replay', 'x-gateway-session': 'replay', 'x-gateway-run': 'replay' } as const;

export interface SampleOrder {
  readonly keyId: number;
  readonly model: string;
  readonly from: string;
  readonly size: number;
  /** US dollars; undefined where simulated vendors answer, which costs nothing. */
  readonly budget: number | undefined;
}

export interface Compared {
  readonly requestId: string;
  readonly replayId: string;
  readonly asked: string;
  readonly before: Answer;
  readonly after: Answer;
  readonly differences: readonly string[];
  readonly ms: { readonly before: number; readonly after: number };
  readonly usd: { readonly before: number; readonly after: number };
}

export interface SampleSoFar {
  readonly state: 'looking' | 'sending' | 'done';
  /** Requests that are sent, of those that were asked for. */
  readonly chosen: number;
  readonly compared: readonly Compared[];
  /** Requests that were left out. */
  readonly withoutContent: number;
  readonly incomplete: number;
  readonly refused: readonly { readonly requestId: string; readonly why: string }[];
  readonly stopped: 'budget' | 'balance' | 'limit' | 'person' | 'no-more' | undefined;
  /** Set when the key could not be revoked: it works for an hour at most. */
  readonly keyLeft: number | undefined;
}

export const NOTHING_SENT: SampleSoFar = {
  ...{ state: 'looking', chosen: 0, compared: [], withoutContent: 0, incomplete: 0, refused: [] },
  ...{ stopped: undefined, keyLeft: undefined },
};

interface Chosen {
  readonly row: Schemas['RequestRecord'];
  readonly replay: Replay;
}

/** Runs the sample, and tells after each step what there is so far. Rejects when it could not begin; what was paid for is told whatever happens later. */
export class SampleRun {
  private readonly order: SampleOrder;
  private readonly tell: (soFar: SampleSoFar) => void;
  private readonly signal: AbortSignal;
  private soFar = NOTHING_SENT;

  constructor(order: SampleOrder, tell: (soFar: SampleSoFar) => void, signal: AbortSignal) {
    this.order = order;
    this.tell = tell;
    this.signal = signal;
  }

  async run(): Promise<void> {
    this.add({});
    const chosen = await this.choose();
    this.add({
      chosen: chosen.length,
      ...(chosen.length < this.order.size && { stopped: this.signal.aborted ? 'person' : 'no-more' }),
    });
    if (chosen.length > 0 && !this.signal.aborted) await this.sendAll(chosen);
    this.add({ state: 'done', ...(this.signal.aborted && { stopped: 'person' }) });
  }

  /** Requests that can be sent again, from the whole time rather than its end. */
  private async choose(): Promise<readonly Chosen[]> {
    const { keyId, from, size, model } = this.order;
    const query = { key_id: keyId, kind: 'chat', status: '2xx', from, limit: MOST_LOOKED_AT } as const;
    const { data } = await ask(api.GET('/admin/requests', { params: { query } }));
    const rows = data.filter(({ error }) => error === null);
    const step = Math.max(1, Math.floor(rows.length / size));
    const order = Array.from({ length: step }, (_, first) => rows.filter((_row, at) => at % step === first)).flat();
    const chosen: Chosen[] = [];
    for (const row of order) {
      if (chosen.length === size || this.signal.aborted) break;
      const replay = await prepare(row.id, { model });
      if (replay.reason === 'no_content') this.add({ withoutContent: this.soFar.withoutContent + 1 });
      else if (replay.reason === 'incomplete') this.add({ incomplete: this.soFar.incomplete + 1 });
      else chosen.push({ row, replay });
    }
    return chosen;
  }

  private async sendAll(chosen: readonly Chosen[]): Promise<void> {
    const { key, secret } = await this.makeKey();
    this.add({ state: 'sending' });
    try {
      for (const each of chosen) {
        if (this.isStopped()) return;
        try {
          this.add({ compared: [...this.soFar.compared, await this.compare(each, secret)] });
        } catch (error) {
          if (this.isStopped()) return;
          if (error instanceof MoneyUsed) {
            this.add({ stopped: error.stop });
            return;
          }
          this.add({ refused: [...this.soFar.refused, { requestId: each.row.id, why: faultOf(error).message }] });
        }
      }
    } finally {
      await ask(api.DELETE('/admin/keys/{key_id}', { params: { path: { key_id: key.id } } })).catch(() =>
        this.add({ keyLeft: key.id }),
      );
    }
  }

  private async makeKey(): Promise<Schemas['KeyCreated']> {
    const { keyId, model, budget } = this.order;
    const { name, owner_id: owner } = await ownersAndKeys.key.one(keyId);
    const now = Date.now();
    return ask(
      api.POST('/admin/keys', {
        body: {
          name: `replay of ${name.slice(0, 60)} ${new Date(now).toISOString()}`,
          ...{ owner_id: owner, mode: budget === undefined ? 'test' : 'live', models: [model] },
          ...(budget !== undefined && { limits: { spend_total: budget } }),
          // Should nobody be there to revoke it.
          expires_at: new Date(now + KEY_MS).toISOString(),
        },
      }),
    );
  }

  private async compare({ row, replay }: Chosen, secret: string): Promise<Compared> {
    const { model } = this.order;
    const { send: sent, before } = replay;
    if (sent === null || before === null) throw new Error('it cannot be sent again');
    const begun = performance.now();
    const reply = await send(sent.path, {
      method: 'POST',
      // As any client: with the key alone, and not with the session.
      credentials: 'omit',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...IDENTITY },
      body: JSON.stringify(sent.body),
      signal: this.signal,
    });
    const text = await reply.text();
    const ms = Math.round(performance.now() - begun);
    if (!reply.ok) {
      const limit = moneyLimitOf(reply, text);
      if (limit !== undefined) throw new MoneyUsed(limit);
      throw new Error(`${reply.status} ${text.slice(0, 300)}`);
    }
    const answer = JSON.parse(text) as Record<string, unknown>;
    const { after, differences } = await prepare(row.id, { model, answer });
    if (after === null) throw new Error('the answer of the other model cannot be read');
    return {
      ...{ requestId: row.id, replayId: reply.headers.get('x-request-id') ?? '', asked: replay.asked },
      ...{ before, after, differences, ms: { before: row.ms, after: ms } },
      usd: { before: row.charged_usd, after: Number(reply.headers.get('x-gateway-cost') ?? 0) },
    };
  }

  private isStopped(): boolean {
    return this.signal.aborted;
  }

  private add(more: Partial<SampleSoFar>): void {
    this.soFar = { ...this.soFar, ...more };
    this.tell(this.soFar);
  }
}

/** The gateway refused for want of money: nothing more can be sent. */
class MoneyUsed extends Error {
  readonly stop: 'budget' | 'balance' | 'limit';
  constructor(limit: string) {
    super(limit);
    // The key has no other cap than the budget; the rest is of its owner.
    this.stop = limit === 'spend_total' ? 'budget' : limit === 'balance' ? 'balance' : 'limit';
  }
}

function prepare(id: string, body: Schemas['RequestReplayCreate']): Promise<Replay> {
  return ask(api.POST('/admin/requests/{request_id}/replay', { params: { path: { request_id: id } }, body }));
}
