/**
 * Use of vendor accounts that have a budget, shared by replicas through Redis: each tells the others what it used, once a turn of the event
 * loop, and the day's sums are kept for who comes later.
 */
import { randomBytes } from 'node:crypto';
import { batchUses, type AccountUse, type Log, type SharedUse } from '@model-gateway/core';
import type { RedisClient } from './redis-counts.ts';
import type { RedisSubscriber } from './redis-health.ts';

const DAY_MS = 86_400_000;
/** A Redis that is away is told of once a minute, not with every request. */
const TELL_EVERY_MS = 60_000;
const KEPT_SECONDS = (2 * DAY_MS) / 1000;

/** KEYS: the day's hash. ARGV: the channel, how long the day is kept (s), the news as JSON, then field and amount in turn. */
const TELL = `
for i = 4, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', ARGV[1], ARGV[3])
return 0
`;
const TODAY = `return redis.call('HGETALL', KEYS[1])`;

const AMOUNTS = ['requests', 'tokens', 'units'] as const;

interface Message {
  /** The process that used it. */
  readonly from: string;
  readonly uses: readonly AccountUse[];
}

/** Makes the sharing of one process. `redis` and `subscriber` are not closed by it. */
export function createRedisUse(options: {
  readonly redis: Pick<RedisClient, 'eval'>;
  readonly subscriber: RedisSubscriber;
  readonly now: () => number;
  readonly log: Log;
  /** Before every name in Redis. */
  readonly prefix?: string;
}): SharedUse {
  const { redis, subscriber, now, log, prefix = 'model-gateway' } = options;
  const self = randomBytes(6).toString('base64url');
  const channel = `${prefix}:use`;
  const hashOf = (): string => `${prefix}:used:${Math.floor(now() / DAY_MS)}`;
  let toldAt = -Infinity;
  const quietly = (work: Promise<unknown>, message: string): void => {
    work.catch((error: unknown) => {
      if (now() - toldAt < TELL_EVERY_MS) return;
      toldAt = now();
      log.warn({ err: error }, message);
    });
  };
  const tell = batchUses((uses) => {
    const message: Message = { from: self, uses };
    const sums = uses.flatMap((use) =>
      AMOUNTS.flatMap((what) =>
        use[what] === 0 ? [] : [`${use.accountId} ${what} ${use.model}`, Math.round(use[what])],
      ),
    );
    quietly(
      redis.eval(TELL, 1, hashOf(), channel, KEPT_SECONDS, JSON.stringify(message), ...sums),
      'what accounts were used for could not be told to the other replicas; each keeps budgets by its own calls',
    );
  });

  return {
    tell,
    listen({ learn, learnDay }) {
      const catchUp = async (): Promise<void> => {
        const found = await redis.eval(TODAY, 1, hashOf());
        if (Array.isArray(found)) for (const use of usesIn(found)) learnDay(use);
      };
      const failed = 'what the accounts were used for today could not be read';
      subscriber.on('message', (heard, text) => {
        if (heard !== channel) return;
        const message = read(text);
        if (message !== undefined && message.from !== self) for (const use of message.uses) learn(use);
      });
      // After a connection that broke, too: what was told meanwhile is in the day's sums.
      subscriber.on('ready', () => quietly(catchUp(), failed));
      quietly(subscriber.subscribe(channel).then(catchUp), failed);
    },
  };
}

/** Fields and amounts in turn. */
function usesIn(flat: readonly unknown[]): readonly AccountUse[] {
  const uses = new Map<string, AccountUse>();
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [, id = '', what = '', model = ''] = /^(\d+) (\w+) (.*)$/.exec(String(flat[at])) ?? [];
    if (!AMOUNTS.some((each) => each === what)) continue;
    const none = { accountId: Number(id), model, requests: 0, tokens: 0, units: 0 };
    const name = `${id} ${model}`;
    uses.set(name, { ...(uses.get(name) ?? none), [what]: Number(flat[at + 1]) });
  }
  return [...uses.values()];
}

/** Undefined for what no replica of this version wrote. */
function read(text: string): Message | undefined {
  try {
    const { from, uses } = JSON.parse(text) as Partial<Message>;
    return typeof from === 'string' && Array.isArray(uses) && uses.every(makesSense) ? { from, uses } : undefined;
  } catch {
    return undefined;
  }
}

function makesSense({ accountId, model, ...amounts }: Partial<AccountUse>): boolean {
  return (
    Number.isInteger(accountId) && typeof model === 'string' && AMOUNTS.every((what) => Number.isFinite(amounts[what]))
  );
}
