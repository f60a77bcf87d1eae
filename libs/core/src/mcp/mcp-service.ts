/** MCP servers for callers: what a key may see of them, calls of their tools with limits and price, and a line for each call. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { totalOf } from '../money/price.ts';
import type { Spending } from '../money/spending.ts';
import { tellSpend } from '../paid/paid-metrics.ts';
import type { Caller, Parts } from '../parts.ts';
import type { GuardParts } from '../guardrails/judge.ts';
import { CallGuard, guardedName } from './guarded-calls.ts';
import { NAME_SEPARATOR, isVisible, type McpServer, type McpSettings } from './settings.ts';
import { ServerSource, type Listed, type Listing, type McpSource, type SourceRequest } from './source.ts';
import { RpcFault } from './protocol.ts';

export type McpParts = Pick<Parts, 'catalogue' | 'untrustedFetcher' | 'now' | 'log' | 'meter' | 'spent'> &
  GuardParts & {
    readonly spending: Pick<Spending, 'reserve'>;
    /** The gateway’s own tools. */
    readonly own: McpSource;
  };

/** A source that could not be asked, and why. */
export interface SourceFault {
  readonly server: string;
  readonly message: string;
}

/** What several sources list together. */
export interface Listings {
  readonly found: readonly { readonly source: McpSource; readonly listing: Listing }[];
  readonly faults: readonly SourceFault[];
}

/** A server of the operator’s, and how it is asked. */
export interface ChatServer {
  readonly server: McpServer;
  readonly source: McpSource;
}

/** A call of a tool that has ended. */
export interface ToolResult {
  readonly result: JsonObject;
  /** Quota units. */
  readonly charged: number;
}

const CALLS = 'gateway_mcp_calls';
const SECONDS = 'gateway_mcp_call_seconds';

export class McpService {
  readonly #parts: McpParts;
  readonly #guard: CallGuard;
  /** By the entry of the configuration: another one after a reload is another server. */
  readonly #sources = new WeakMap<McpServer, ServerSource>();

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.#guard = new CallGuard(parts);
  }

  /** Undefined where nothing is configured. */
  get settings(): McpSettings | undefined {
    return this.#parts.catalogue().mcp;
  }

  /** Every source that a key may see. */
  sourcesFor({ key }: Pick<Caller, 'key'>): readonly McpSource[] {
    const { servers = [], ownTools = false } = this.settings ?? {};
    const visible = servers.filter((server) => isVisible(server, key)).map((server) => this.#sourceOf(server));
    return ownTools ? [...visible, this.#parts.own] : visible;
  }

  /** The source of a name. Throws `not_found` in the same words for one that there is not and one that the key may not see. */
  sourceNamed(caller: Pick<Caller, 'key'>, name: string): McpSource {
    const sources = this.sourcesFor(caller);
    const found = sources.find((source) => source.name === name);
    if (found !== undefined) return found;
    throw new GatewayError('not_found', this.unknown(caller, name, sources), { param: 'server' });
  }

  /** The operator’s servers that a key may see, for chats. */
  serversFor({ key }: Pick<Caller, 'key'>): readonly ChatServer[] {
    const { servers = [] } = this.settings ?? {};
    return servers
      .filter((server) => isVisible(server, key))
      .map((server) => ({ server, source: this.#sourceOf(server) }));
  }

  /** The same words for a server that there is not and one that the key may not see. */
  unknown({ key }: Pick<Caller, 'key'>, name: string, sources: readonly Pick<McpSource, 'name'>[]): string {
    const names = sources.map((source) => source.name).join(', ');
    const only = key.mode === 'test' ? '; test keys see those with test_keys: true' : '';
    return `there is no MCP server '${name.slice(0, 64)}' for this key; it may use ${names === '' ? 'none' : names}${only}`;
  }

  #sourceOf(server: McpServer): ServerSource {
    let source = this.#sources.get(server);
    if (source === undefined) this.#sources.set(server, (source = new ServerSource(server, this.#parts)));
    return source;
  }

  /** Lists what several sources have. Those that fail are told; where nobody can be asked, the first fault is thrown. */
  async list(sources: readonly McpSource[], kind: Listed): Promise<Listings> {
    const answers = await Promise.allSettled(sources.map((source) => source.list(kind)));
    const found: { source: McpSource; listing: Listing }[] = [];
    const faults: SourceFault[] = [];
    for (const [index, answer] of answers.entries()) {
      const source = sources[index];
      if (source === undefined) continue;
      if (answer.status === 'fulfilled') found.push({ source, listing: answer.value });
      else {
        const message = wordsOf(answer.reason);
        faults.push({ server: source.name, message });
        this.#parts.log.warn({ mcp_server: source.name, reason: message }, 'an MCP server could not be listed');
        this.#parts.meter.count('gateway_mcp_list_failures', { server: source.name });
      }
    }
    const [failed] = answers.filter((answer) => answer.status === 'rejected');
    if (found.length === 0 && failed !== undefined) throw failed.reason;
    return { found, faults };
  }

  /** Calls a tool: money is set aside, guardrails look through what goes and comes. */
  async callTool(source: McpSource, asked: SourceRequest): Promise<ToolResult> {
    const { caller, params } = asked;
    const tool = typeof params['name'] === 'string' ? params['name'] : '';
    const args = (params['arguments'] ?? {}) as JsonObject;
    const name = guardedName(source.name, tool);
    const since = this.#parts.now();
    const payment = await this.#payment(source, caller);
    let outcome = 'error';
    try {
      const result = await this.#guard.around({ caller, name, args }, (sent, isGuarded) => {
        const { notify, ...rest } = asked;
        const heard = isGuarded || notify === undefined ? rest : asked;
        return source.request({ ...heard, params: { ...params, arguments: sent } });
      });
      outcome = result['isError'] === true ? 'tool_error' : 'ok';
      return { result, charged: payment?.charge(name) ?? 0 };
    } catch (error) {
      payment?.cancel();
      throw error;
    } finally {
      this.#parts.meter.count(CALLS, { server: source.name, result: outcome });
      this.#parts.meter.observe(SECONDS, (this.#parts.now() - since) / 1000, { server: source.name });
    }
  }

  /** Undefined where a call costs nothing. */
  async #payment({ pricePerCall }: McpSource, caller: Caller) {
    if (pricePerCall === 0) return undefined;
    const { groupFactors, priceVersion } = this.#parts.catalogue();
    const line = { item: 'mcp_call', quantity: 1, price: pricePerCall, per: 1, factor: 1 };
    const bill = totalOf([line], groupFactors[caller.key.group] ?? 1);
    const reservation = await this.#parts.spending.reserve(caller, bill.units);
    const detail = { usage: {}, lines: [line], group_factor: bill.groupFactor };
    return {
      charge: (model: string): number => {
        const { charged } = reservation.charge({ model, endpoint: '/mcp', units: bill.units, priceVersion, detail });
        tellSpend(this.#parts, caller, { usage: {}, charged });
        return charged;
      },
      cancel: (): void => reservation.cancel(),
    };
  }
}

/** The words of a fault, for people. */
export function wordsOf(error: unknown): string {
  if (error instanceof GatewayError || error instanceof RpcFault) return error.message;
  return 'something went wrong on our side';
}

/** `docs__search` as server and name; undefined where it names no server. */
export function splitName(text: string): { readonly server: string; readonly name: string } | undefined {
  const at = text.indexOf(NAME_SEPARATOR);
  return at <= 0 ? undefined : { server: text.slice(0, at), name: text.slice(at + NAME_SEPARATOR.length) };
}

export function joinedName(server: string, name: string): string {
  return `${server}${NAME_SEPARATOR}${name}`;
}
