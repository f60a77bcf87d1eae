/** One worker: a whole gateway, which counts and learns with its siblings through the primary. */
import { Socket } from 'node:net';
import { batchUses, type AccountHealth, type AccountUse, type HealthNews } from '@model-gateway/core';
import type { TwinAddress } from '../config/catalogue.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/interpolate.ts';
import { startServer, type GatewayServer } from '../server/gateway-server.ts';
import { flushed } from '../server/log.ts';
import { openOperatorLog, type OperatorLog } from '../server/operator-log.ts';
import { refuseChange } from '../server/reloading.ts';
import type { OwnPart, Siblings } from '../server/siblings.ts';
import { adviceFor } from '../server/start-fault.ts';
import { askCounts, type AskedCounts } from './counts.ts';
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
export function runWorker(channel: Channel, options: WorkerOptions): Promise<number> {
  return new WorkerProcess(channel, options).run();
}

/** Takes one kind of connection, and hangs up those it has. */
interface Taker {
  readonly take: (socket: Socket) => void;
  readonly hangUp: () => void;
}

class WorkerProcess {
  private readonly channel: Channel;
  private readonly options: WorkerOptions;
  private readonly questions: Questions;
  private readonly counts: AskedCounts;
  private readonly takers = new Map<Which, Taker>();
  private readonly begun = Promise.withResolvers<Beginning>();
  private readonly noMore = Promise.withResolvers<undefined>();
  private readonly stopped = Promise.withResolvers<undefined>();
  private config: Config | undefined;
  private server: GatewayServer | undefined;
  private learn: (news: HealthNews) => void = () => undefined;
  private learnUse: (use: AccountUse) => void = () => undefined;
  private learnDay: (use: AccountUse) => void = () => undefined;

  constructor(channel: Channel, options: WorkerOptions) {
    this.channel = channel;
    this.options = options;
    this.questions = new Questions(channel);
    this.counts = askCounts((steps) => channel.send({ kind: 'counts', steps }));
  }

  async run(): Promise<number> {
    this.channel.on((message, socket) => this.hear(message, socket));
    endWithPrimary(process, () => {
      for (const { hangUp } of this.takers.values()) hangUp();
    });
    // From the terminal it comes to every process; the primary says when to stop.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => this.stopped.resolve(undefined));
    this.channel.send({ kind: 'loaded' });
    const beginning = await Promise.race([this.begun.promise, this.stopped.promise]);
    return beginning === undefined ? 0 : this.serve(beginning);
  }

  private hear(message: ToWorker, socket: Socket | undefined): void {
    switch (message.kind) {
      case 'begin':
        this.begun.resolve(message.beginning);
        break;
      case 'reload':
        this.config = message.config;
        if (this.server !== undefined) reload(this.server);
        break;
      case 'connection':
        // Said before a byte of it is read: nobody else is given it from here on.
        this.channel.send({ kind: 'taken', id: message.id });
        // The caller may have gone while it was on its way.
        if (socket !== undefined) this.takers.get(message.which)?.take(socket);
        break;
      case 'noMore':
        this.noMore.resolve(undefined);
        break;
      case 'stop':
        this.stopped.resolve(undefined);
        break;
      case 'verdicts':
        this.counts.answered(message.verdicts);
        break;
      case 'health':
        this.learn(message.news);
        break;
      case 'used':
        message.uses.forEach(this.learnUse);
        break;
      case 'usedToday':
        message.uses.forEach(this.learnDay);
        break;
      case 'guessed':
        this.server?.own.guessed(message.address);
        break;
      case 'ask':
        void this.answer(message.id, message.question);
        break;
      case 'answers':
        this.questions.answered(message.id, message.answers);
    }
  }

  private async answer(id: number, question: Question): Promise<void> {
    const answer = await answerTo(this.server?.own, question);
    this.channel.send({ kind: 'answer', id, answer });
  }

  private async serve(beginning: Beginning): Promise<number> {
    const { worker, workers, isFirst } = beginning;
    const config = (this.config ??= beginning.config);
    const operatorLog = await openOperatorLog(config, { isTerminal: process.stdout.isTTY, besideOthers: true });
    const server = await this.start(beginning, config, operatorLog);
    this.server = server;
    // It may have changed while this one started.
    if (this.config !== beginning.config) reload(server);
    const { url } = server;
    const welcome = isFirst ? await this.options.welcome(server, workers) : '';
    this.channel.send({ kind: 'ready', ready: { url, welcome } });
    operatorLog.begin();
    await this.stopped.promise;
    operatorLog.log.info({ worker }, 'shutting down: finishing running requests');
    return shutDown(server, operatorLog);
  }

  private start(beginning: Beginning, config: Config, { log, telemetry, begin }: OperatorLog): Promise<GatewayServer> {
    const { now, environment } = this.options;
    const { twin, aloneSince } = beginning;
    return startServer({
      config,
      now,
      log,
      ...(telemetry !== undefined && { telemetry }),
      siblings: this.siblingsOf(beginning),
      environment,
      reread: () => this.config ?? beginning.config,
      ...(twin !== undefined && { twin: standInsAt(twin) }),
      ...(aloneSince !== undefined && { aloneSince }),
    }).catch(async (error: unknown) => {
      begin();
      await telemetry?.close();
      throw await adviceFor(error, config.server.host);
    });
  }

  /** The other workers, as the gateway in this process knows them. */
  private siblingsOf({ worker, workers, port, adminPort }: Beginning): Siblings {
    const { channel, questions } = this;
    return {
      counts: this.counts,
      ports: {
        port,
        adminPort,
        accept: (which, take, hangUp) => void this.takers.set(which, { take, hangUp }),
        closed: async () => {
          channel.send({ kind: 'leaving' });
          await this.noMore.promise;
        },
      },
      health: {
        tell: (news) => channel.send({ kind: 'health', news }),
        listen: (hear) => (this.learn = hear),
      },
      use: {
        tell: batchUses((uses) => channel.send({ kind: 'used', uses })),
        listen: (heard) => {
          this.learnUse = heard.learn;
          this.learnDay = heard.learnDay;
        },
      },
      shareOf: (most) => Math.max(1, Math.floor(most / workers) + (worker <= most % workers ? 1 : 0)),
      guessed: (address) => channel.send({ kind: 'guessed', address }),
      async everywhere(what) {
        await questions.ask(what);
      },
      async metricsPage() {
        const [page] = await questions.ask('metricsPage');
        return typeof page === 'string' ? page : '';
      },
      accounts: async () => (await questions.ask('accounts')) as readonly (readonly AccountHealth[])[],
    };
  }
}

async function shutDown(server: GatewayServer, { log, telemetry }: OperatorLog): Promise<number> {
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
class Questions {
  private readonly channel: Channel;
  private readonly waiting = new Map<number, (answers: readonly unknown[]) => void>();
  private last = 0;

  constructor(channel: Channel) {
    this.channel = channel;
  }

  /** Of those who answer in time; of none when the primary does not. */
  ask(question: Question): Promise<readonly unknown[]> {
    const id = ++this.last;
    return new Promise((resolve) => {
      const end = (answers: readonly unknown[]): void => {
        clearTimeout(limit);
        this.waiting.delete(id);
        resolve(answers);
      };
      const limit = setTimeout(() => end([]), LONGEST_ANSWER_MS);
      this.waiting.set(id, end);
      this.channel.send({ kind: 'askAll', id, question });
    });
  }

  answered(id: number, answers: readonly unknown[]): void {
    this.waiting.get(id)?.(answers);
  }
}
