/** WebSockets to vendors, for what comes over a WebSocket: opened when the first is asked, and kept for the next. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { SocketOpening, Upstream, UpstreamSocket, UpstreamStream } from '@model-gateway/provider-kit';
import type { SocketMode, SocketTurn } from '@model-gateway/translate';
import type { GatewayAccount } from '../../catalogue.ts';
import type { Log } from '../../parts.ts';

const MINUTE = 60_000;
/** OpenAI's live an hour: an answer that begins late in it would be cut. */
const LONGEST_MS = 50 * MINUTE;
/** An account whose vendor opened no socket is asked over HTTP alone for so long. */
const REFUSED_MS = 10 * MINUTE;
/** Some proxies swallow the request for a socket. */
const OPENING_SECONDS = 5;
const MOST_LANES = 8;
const MOST_OF_A_LANE = 4;
/** Sockets of a process on which nothing is asked; those idle longest are closed, and opened again when they are wanted. */
const MOST_IDLE = 256;
/** A longer conversation is sent whole: comparing it with what the vendor remembers would hold others up. */
const LONGEST_COMPARED = 1024 * 1024;
/** `WebSocket.OPEN` */
const OPEN = 1;
const NORMAL = 1000;

export interface VendorSocketParts {
  readonly now: () => number;
  readonly log: Log;
  /** Tests: fewer. */
  readonly mostIdle?: number;
}

/** What all sockets of a process know of accounts. */
export class VendorSocketAccounts {
  readonly parts: VendorSocketParts;
  readonly #refusedUntil = new WeakMap<GatewayAccount, number>();
  /** Those idle longest first. */
  readonly #idle = new Set<VendorLine>();

  constructor(parts: VendorSocketParts) {
    this.parts = parts;
  }

  opens(account: GatewayAccount): boolean {
    return (this.#refusedUntil.get(account) ?? 0) <= this.parts.now();
  }

  /** A socket waits for its next request. */
  rests(line: VendorLine): void {
    this.#idle.add(line);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= (this.parts.mostIdle ?? MOST_IDLE)) break;
      oldest.close();
    }
  }

  /** It is asked, or closed. */
  works(line: VendorLine): void {
    this.#idle.delete(line);
  }

  refused(account: GatewayAccount): void {
    this.#refusedUntil.set(account, this.parts.now() + REFUSED_MS);
  }
}

/** The sockets to vendors of one client's socket. */
export class VendorSockets {
  readonly #accounts: VendorSocketAccounts;
  readonly #lanes = new Map<string, VendorLane>();

  constructor(accounts: VendorSocketAccounts) {
    this.#accounts = accounts;
  }

  /** Of a lane of the client's; those used longest ago are given up where there are too many. */
  lane(name: string): VendorLane {
    const lane = this.#lanes.get(name) ?? new VendorLane(this.#accounts);
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
    for (const [oldest, old] of this.#lanes) {
      if (this.#lanes.size <= MOST_LANES) break;
      this.#lanes.delete(oldest);
      old.close();
    }
    return lane;
  }

  /** What is being answered is answered. */
  close(): void {
    for (const lane of this.#lanes.values()) lane.close();
    this.#lanes.clear();
  }
}

/** One request, as its vendor is asked. */
export interface LaneRequest {
  readonly mode: SocketMode;
  /** The body as it is sent. */
  readonly bytes: Buffer;
  readonly json: JsonObject;
  readonly account: GatewayAccount;
  readonly opening: SocketOpening;
}

/** Sockets that one lane asks over: one for each account, which answers one request after another. */
export class VendorLane {
  readonly #accounts: VendorSocketAccounts;
  readonly #lines = new Map<number, VendorLine>();
  #isClosed = false;

  constructor(accounts: VendorSocketAccounts) {
    this.#accounts = accounts;
  }

  /** The stream of an answer; undefined where the vendor is to be asked over HTTP. Throws what the vendor refused with. */
  async ask(request: LaneRequest, upstream: Upstream): Promise<Pick<UpstreamStream, 'raw'> | undefined> {
    const known = this.#lines.get(request.account.id);
    if (known?.isBusy === true) return undefined;
    const line = await this.#lineFor(known, request, upstream);
    if (line === undefined) return undefined;
    try {
      return await line.ask(request, upstream);
    } catch (error) {
      if (vendorCode(error) !== 'websocket_connection_limit_reached') throw error;
      line.close();
      const next = await this.#lineFor(undefined, request, upstream);
      return next?.ask(request, upstream);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
  }

  async #lineFor(
    known: VendorLine | undefined,
    request: LaneRequest,
    upstream: Upstream,
  ): Promise<VendorLine | undefined> {
    const { account } = request;
    const { now } = this.#accounts.parts;
    if (known?.isFor(account, now()) === true) return known;
    known?.close();
    if (!this.#accounts.opens(account)) return undefined;
    const socket = await this.#open(request, upstream);
    if (socket === undefined) return undefined;
    const line = new VendorLine(socket, account, this.#accounts);
    const other = this.#lines.get(account.id);
    // The client may have gone meanwhile, or another request have opened one: then it is closed after this answer.
    if (this.#isClosed || other?.isFor(account, now()) === true) line.closeSoon();
    else {
      other?.close();
      this.#keep(account.id, line);
    }
    return line;
  }

  #keep(accountId: number, line: VendorLine): void {
    this.#lines.delete(accountId);
    this.#lines.set(accountId, line);
    for (const [oldest, old] of this.#lines) {
      if (this.#lines.size <= MOST_OF_A_LANE) break;
      this.#lines.delete(oldest);
      old.close();
    }
  }

  async #open({ account, opening }: LaneRequest, upstream: Upstream): Promise<UpstreamSocket | undefined> {
    try {
      return await upstream.connect({ ...opening, seconds: OPENING_SECONDS });
    } catch (error) {
      // What cannot be reached cannot be asked over HTTP either, and says so there.
      if (isAnswer(error)) {
        this.#accounts.refused(account);
        const fields = { err: error, account: account.name };
        this.#accounts.parts.log.info(fields, 'the vendor opens no WebSocket; it is asked over HTTP');
      }
      return undefined;
    }
  }
}

/** One open socket. */
class VendorLine {
  readonly #socket: UpstreamSocket;
  readonly #account: GatewayAccount;
  readonly #accounts: VendorSocketAccounts;
  readonly #openedAt: number;
  /** What the vendor remembers. */
  #known: SocketTurn | undefined;
  /** What is being answered. */
  #asked: LaneRequest | undefined;
  #isClosing = false;

  constructor(socket: UpstreamSocket, account: GatewayAccount, accounts: VendorSocketAccounts) {
    this.#socket = socket;
    this.#account = account;
    this.#accounts = accounts;
    this.#openedAt = accounts.parts.now();
    socket.once('close', () => accounts.works(this));
    // Nothing is said while nobody asks, but pings are to be answered.
    socket.resume();
  }

  get isBusy(): boolean {
    return this.#asked !== undefined;
  }

  /** Whether the next request to an account can go over it: its credentials may be others by now. */
  isFor(account: GatewayAccount, now: number): boolean {
    return account === this.#account && this.#socket.readyState === OPEN && now - this.#openedAt < LONGEST_MS;
  }

  async ask(request: LaneRequest, upstream: Upstream): Promise<Pick<UpstreamStream, 'raw'>> {
    const { mode, bytes } = request;
    const isCompared = bytes.length <= LONGEST_COMPARED;
    const { text, goesOn } = mode.message(request, isCompared ? this.#known : undefined);
    this.#known = undefined;
    this.#asked = request;
    this.#accounts.works(this);
    try {
      const answer = await upstream.converse(this.#socket, {
        text,
        refusalIn: (event) => {
          const refused = mode.refusalIn(event);
          return refused && { ...refused, body: Buffer.from(event) };
        },
        isLast: (event) => {
          const end = mode.endOf(event);
          if (end === undefined) return false;
          this.#known = isCompared ? mode.remembered(request, end) : undefined;
          this.#free(request);
          return true;
        },
      });
      answer.raw.once('close', () => this.#free(request));
      return answer;
    } catch (error) {
      this.#free(request);
      if (goesOn && vendorCode(error) === 'previous_response_not_found') return this.ask(request, upstream);
      throw error;
    }
  }

  close(): void {
    this.closeSoon();
    if (this.isBusy) return;
    this.#accounts.works(this);
    this.#socket.close(NORMAL);
  }

  /** After the next answer, or the one that is being given. */
  closeSoon(): void {
    this.#isClosing = true;
  }

  #free(request: LaneRequest): void {
    if (this.#asked !== request) return;
    this.#asked = undefined;
    if (this.#isClosing) this.close();
    else if (this.#socket.readyState === OPEN) this.#accounts.rests(this);
  }
}

function vendorCode(error: unknown): string | undefined {
  return error instanceof GatewayError ? error.details.vendorCode : undefined;
}

/** Whether the vendor, or what stands before it, has answered at all, or let the time pass. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof GatewayError &&
    (error.details.vendorStatus !== undefined ||
      error.code === 'upstream_timeout' ||
      error.code === 'upstream_malformed')
  );
}
