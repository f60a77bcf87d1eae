import { randomBytes } from 'node:crypto';
import { wallClock } from './core/values.ts';
import { ScriptedFaults, type FaultPlan } from './core/faults.ts';
import { JobRegistry } from './core/jobs.ts';
import { Ledger, type TwinLedger } from './core/ledger.ts';
import { TwinControl, type TwinAbout } from './core/control.ts';
import { filesOf } from './core/batches.ts';
import { RequestRing, type RequestLog } from './core/requests.ts';
import { TwinServer } from './core/server.ts';
import { idMaker, type Stage, type TwinSeconds } from './core/stage.ts';
import type { Standing, Vendor, TwinCredentials } from './core/vendor.ts';
import { TwinWebhooks, type SentWebhook, type WebhookOptions } from './core/webhooks.ts';
import { Media } from './media/media.ts';
import { VENDORS, type TwinVendor } from './all-vendors.ts';

export interface VendorTwinOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Milliseconds since 1970; default the wall clock. Jobs move with it and with nothing else. */
  readonly clock?: () => number;
  /** How long work takes: a video 3 s, a subject 2 s, an asynchronous image or a batch 1 s by default. */
  readonly seconds?: Partial<TwinSeconds>;
  /** Where finished media is kept between runs; without it only memory is used. */
  readonly mediaCacheFolder?: string;
  /** The most bytes that folder may hold, 256 MB when absent: what was not opened for longest goes first. */
  readonly mediaCacheBytes?: number;
  /** What media links are signed with; random when absent, and then they die with the process. */
  readonly mediaSecret?: string;
  /** A pause after every event of a stream; without it events follow each other at once, each in its own write. */
  readonly chunkDelayMs?: number;
  /** `tiny`: the smallest valid files instead of real pictures and sound. */
  readonly media?: 'real' | 'tiny';
  /** Whether faults are scripted, and requests looked at, over HTTP: `/_twin` (docs/guides/twin.md). Default false. */
  readonly control?: boolean;
  /** For benches: requests are not logged, answers only counted. */
  readonly lean?: boolean;
  /** Where people reach the twin's media, when something stands in front of it; default the twin itself. */
  readonly mediaUrl?: () => string;
  /** Webhooks of jobs: by the wall clock they are sent by themselves, to every address. */
  readonly webhooks?: WebhookOptions;
  /** A file that lets jobs survive a restart of the process. */
  readonly journal?: string;
}

/** Where a vendor of the twin is, and what it takes for credentials. */
export interface StandIn {
  readonly baseUrl: string;
  readonly credentials: TwinCredentials;
}

export interface VendorTwin {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  /** What the base URL of an account of this vendor must be. */
  baseUrl(vendor: TwinVendor): string;
  /** The credentials this vendor knows, addresses in them pointing here. */
  credentials(vendor: TwinVendor): TwinCredentials;
  /** Who answers for accounts of this vendor on this wire; undefined when nobody does. */
  readonly standInFor: (vendor: string, wire: string | undefined) => StandIn | undefined;
  /** All of them, for a process that has no twin of its own. */
  standIns(): readonly (StandIn & Standing)[];
  readonly faults: FaultPlan<TwinVendor>;
  readonly ledger: TwinLedger<TwinVendor>;
  readonly requests: RequestLog<TwinVendor>;
  /** Uploaded files are gone, as when somebody deletes them behind the back of whoever uploaded them. */
  loseFiles(): void;
  /** How many WebSockets are open, of all vendors. */
  openSockets(): number;
  /** Sends the webhooks of jobs that are due, for tests that move the clock; resolves with the answers. */
  sendWebhooks(): Promise<readonly SentWebhook[]>;
  /** Hangs up on everybody, stops the media thread, frees the port. */
  close(): Promise<void>;
}

/** Starts every vendor on one port. Rejects when the port cannot be had. */
export async function startVendorTwin(options: VendorTwinOptions = {}): Promise<VendorTwin> {
  const now = options.clock ?? wallClock;
  const host = options.host ?? '127.0.0.1';
  const lean = options.lean ?? false;
  let url = '';
  const jobs = new JobRegistry(now, options.journal);
  const webhooks = new TwinWebhooks({ jobs, now, timers: options.clock === undefined, ...options.webhooks });
  const ledger = new Ledger(jobs, lean);
  const media = new Media({
    mode: options.media ?? 'real',
    url: options.mediaUrl ?? (() => url),
    secret: options.mediaSecret ?? randomBytes(32).toString('hex'),
    ...(options.mediaCacheBytes !== undefined && { cacheBytes: options.mediaCacheBytes }),
    ...(options.mediaCacheFolder !== undefined && { cacheFolder: options.mediaCacheFolder }),
  });
  const stage: Stage = {
    now,
    get url() {
      return url;
    },
    jobs,
    webhooks,
    ledger,
    media,
    seconds: { video: 3, subject: 2, image: 1, batch: 1, ...options.seconds },
    chunkDelayMs: options.chunkDelayMs ?? 0,
    seenMarkers: new Map(),
    seenPrefixes: new Map(),
    newId: idMaker(),
  };
  const faults = new ScriptedFaults();
  const requests = new RequestRing();
  const about = (): TwinAbout => ({
    url,
    vendors: VENDORS.map((vendor) => ({ name: vendor.name, ...placeOf(vendor, url) })),
  });
  const control = options.control === true ? new TwinControl({ stage, faults, requests, about }) : undefined;
  const server = new TwinServer({ stage, vendors: VENDORS, faults, requests: lean ? undefined : requests, control });
  const port = await server.listen(host, options.port ?? 0);
  url = `http://${host.includes(':') ? `[${host}]` : reachable(host)}:${port}`;
  return {
    url,
    baseUrl: (name) => baseUrlOf(vendorNamed(name), url),
    credentials: (name) => vendorNamed(name).credentials(url),
    standInFor(vendor, wire) {
      const found = VENDORS.find(({ standsFor }) =>
        standsFor.some((one: Standing) => one.vendor === vendor && one.wire === wire),
      );
      return found === undefined ? undefined : placeOf(found, url);
    },
    standIns: () =>
      VENDORS.flatMap((vendor) =>
        vendor.standsFor.map((one: Standing) => ({
          vendor: one.vendor,
          ...(one.wire !== undefined && { wire: one.wire }),
          ...placeOf(vendor, url),
        })),
      ),
    faults,
    ledger,
    requests,
    loseFiles: () => filesOf(stage).clear(),
    openSockets: () => server.openSockets,
    sendWebhooks: () => webhooks.send(),
    close: async () => {
      webhooks.close();
      await Promise.all([server.close(), media.close()]);
    },
  };
}

function baseUrlOf({ name, basePath }: Vendor, url: string): string {
  return `${url}/${name}${basePath}`;
}

function placeOf(vendor: Vendor, url: string): StandIn {
  return { baseUrl: baseUrlOf(vendor, url), credentials: vendor.credentials(url) };
}

function vendorNamed(name: string): Vendor {
  const vendor = VENDORS.find((candidate) => candidate.name === name);
  if (vendor === undefined) throw new Error(`the twin has no vendor ${name}`);
  return vendor;
}

/** Nobody can call 0.0.0.0. */
function reachable(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host;
}
