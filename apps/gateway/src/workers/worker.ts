/** One worker: a whole gateway, which counts and learns with its siblings through the primary. */
import { Socket } from 'node:net';
import { batchUses, type AccountHealth, type AccountUse, type HealthNews } from '@model-gateway/core';
import type { TwinAddress } from '../config/catalogue.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/interpolate.ts';
import { startServer, type GatewayServer } from '../server/gateway-server.ts';
import { flushed } from '../server/log.ts';
import { openOperatorLog } from '../server/operator-log.ts';
import { refuseChange } from '../server/reloading.ts';
import type { OwnPart, Siblings } from '../server/siblings.ts';
import { adviceFor } from '../server/start-fault.ts';
import { askCounts } from './counts.ts';
import { endWithPrimary } from './end-with-primary.ts';
import type { Beginning, FromWorker, Question, ToWorker, TwinPlace, Which } from './messages.ts';

/** The primary waits for half as long for an answer of each. */
const LONGEST_ANSWER_MS = 4_000;

export interface WorkerOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly environment: Environment;
  /** What people are welcomed with; makes the first key where there is none. */
  readonly welcome: (server: GatewayServer, workers: number) => Promise<string>;
}

/** The channel to the primary: that of this process. */
export interface Channel {
  send(message: FromWorker): void;
  on(heard: (message: ToWorker, socket: Socket | undefined) => void): void;
}

/** The channel that the primary has forked this process with. */
export function channelOf(own: NodeJS.Process): Channel {
  return {
    // A primary that is gone takes this process with it; nothing is left to tell it, and a broken pipe is no news.
    send(message) {
      if (own.connected) own.send?.(message, undefined, undefined, () => undefined);
    },
    on(heard) {
      own.on('message', (message, handle) => heard(message as ToWorker, handle instanceof Socket ? handle : undefined));
    },
  };
}

/** Waits for its beginning, serves, and resolves with the exit code when it was told to stop. Rejects with a sentence when it cannot start. */
export async function runWorker(channel: Channel, { now, environment, welcome }: WorkerOptions): Promise<number> {
  const begun = Promise.withResolvers<Beginning>();
  const stopped = Promise.withResolvers<undefined>();
  const asks = createAsking(channel);
  let config: Config | undefined;
  let server = undefined as GatewayServer | undefined;
  let learn: (news: HealthNews) => void = () => undefined;
  let learnUse: (use: AccountUse) => void = () => undefined;
  let learnDay: (use: AccountUse) => void = () => undefined;
  const noMore = Promise.withResolvers<undefined>();
  const takers = new Map<Which, { readonly take: (socket: Socket) => void; readonly hangUp: () => void }>();
  const counts = askCounts((steps) => channel.send({ kind: 'counts', steps }));

  channel.on((message, socket) => {
    switch (message.kind) {
      case 'begin':
        begun.resolve(message.beginning);
        break;
      case 'reload':
        config = message.config;
        if (server !== undefined) reload(server);
        break;
      case 'connection':
        // Said before a byte of it is read: nobody else is given it from here on.
        channel.send({ kind: 'taken', id: message.id });
        // The caller may have gone while it was on its way.
        if (socket !== undefined) takers.get(message.which)?.take(socket);
        break;
      case 'noMore':
        noMore.resolve(undefined);
        break;
      case 'stop':
        stopped.resolve(undefined);
        break;
      case 'verdicts':
        counts.answered(message.verdicts);
        break;
      case 'health':
        learn(message.news);
        break;
      case 'used':
        message.uses.forEach(learnUse);
        break;
      case 'usedToday':
        message.uses.forEach(learnDay);
        break;
      case 'guessed':
        server?.own.guessed(message.address);
        break;
      case 'ask':
        void answerTo(server?.own, message.question).then((answer) =>
          channel.send({ kind: 'answer', id: message.id, answer }),
        );
        break;
      case 'answers':
        asks.answered(message.id, message.answers);
    }
  });
  endWithPrimary(process, () => {
    for (const { hangUp } of takers.values()) hangUp();
  });
  // From the terminal it comes to every process; the primary says when to stop.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => stopped.resolve(undefined));
  channel.send({ kind: 'loaded' });

  const beginning = await Promise.race([begun.promise, stopped.promise]);
  if (beginning === undefined) return 0;
  const { worker, workers, isFirst, port, adminPort, twin, aloneSince } = beginning;
  const given = (config ??= beginning.config);
  const { log, telemetry, begin } = await openOperatorLog(given, {
    isTerminal: process.stdout.isTTY,
    besideOthers: true,
  });
  const siblings: Siblings = {
    counts,
    ports: {
      port,
      adminPort,
      accept: (which, take, hangUp) => void takers.set(which, { take, hangUp }),
      async closed() {
        channel.send({ kind: 'leaving' });
        await noMore.promise;
      },
    },
    health: {
      tell: (news) => channel.send({ kind: 'health', news }),
      listen: (hear) => (learn = hear),
    },
    use: {
      tell: batchUses((uses) => channel.send({ kind: 'used', uses })),
      listen(heard) {
        learnUse = heard.learn;
        learnDay = heard.learnDay;
      },
    },
    shareOf: (most) => Math.max(1, Math.floor(most / workers) + (worker <= most % workers ? 1 : 0)),
    guessed: (address) => channel.send({ kind: 'guessed', address }),
    async everywhere(what) {
      await asks.all(what);
    },
    async metricsPage() {
      const [page] = await asks.all('metricsPage');
      return typeof page === 'string' ? page : '';
    },
    accounts: async () => (await asks.all('accounts')) as readonly (readonly AccountHealth[])[],
  };
  server = await startServer({
    config: given,
    now,
    log,
    ...(telemetry !== undefined && { telemetry }),
    siblings,
    environment,
    reread: () => config ?? beginning.config,
    ...(twin !== undefined && { twin: standInsAt(twin) }),
    ...(aloneSince !== undefined && { aloneSince }),
  }).catch(async (error: unknown) => {
    begin();
    await telemetry?.close();
    throw await adviceFor(error, given.server.host);
  });
  // It may have changed while this one started.
  if (config !== beginning.config) reload(server);
  const { url } = server;
  channel.send({ kind: 'ready', ready: { url, welcome: isFirst ? await welcome(server, workers) : '' } });
  begin();
  await stopped.promise;
  log.info({ worker }, 'shutting down: finishing running requests');
  try {
    await server.close();
    await telemetry?.close();
    return 0;
  } catch (error) {
    log.error({ err: error }, 'the shutdown failed');
    return 1;
  } finally {
    await flushed(log);
  }
}

/** The primary has read it already: what this process finds wrong all the same leaves the old one in place. */
function reload(server: GatewayServer): void {
  server.reload().catch((error: unknown) => refuseChange(server.parts.log, error));
}

/** The twin that runs in a process of its own. */
function standInsAt({ url, standIns }: TwinPlace) {
  return {
    url,
    standInFor: (vendor: string, wire: string | undefined): TwinAddress | undefined =>
      standIns.find((one) => one.vendor === vendor && one.wire === wire),
  };
}

async function answerTo(own: OwnPart | undefined, question: Question): Promise<unknown> {
  switch (question) {
    case 'forgetKeys':
      own?.forgetKeys();
      return undefined;
    case 'takeEntries':
      return own?.takeEntries().catch(() => undefined);
    case 'flush':
      return own?.flush().catch(() => undefined);
    case 'metricsPage':
      return own?.metricsPage();
    case 'accounts':
      return own?.accounts();
  }
}

/** Questions of this worker to all. */
function createAsking(channel: Channel) {
  const waiting = new Map<number, (answers: readonly unknown[]) => void>();
  let last = 0;
  return {
    answered: (id: number, answers: readonly unknown[]): void => waiting.get(id)?.(answers),
    all(question: Question): Promise<readonly unknown[]> {
      const id = ++last;
      return new Promise((resolve) => {
        const end = (answers: readonly unknown[]): void => {
          clearTimeout(limit);
          waiting.delete(id);
          resolve(answers);
        };
        const limit = setTimeout(() => end([]), LONGEST_ANSWER_MS);
        waiting.set(id, end);
        channel.send({ kind: 'askAll', id, question });
      });
    },
  };
}
