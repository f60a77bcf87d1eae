/** One adapter for all vendors that take a job, are asked after it, and give links: see `job-vendor.ts` for what tells them apart. */
import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  cleanFault,
  createJob,
  finishedJob,
  idAt,
  inputOfPicture,
  imageCount,
  imageAddress,
  IMAGE_SECONDS,
  isMissing,
  lostJob,
  malformedReply,
  MAX_POLL_BYTES,
  midReplyError,
  mimeByName,
  numberAt,
  pollJob,
  refuseMask,
  repeatedly,
  StreamedFiles,
  textAt,
  tooLate,
  usageOf,
  valueAt,
  type DeclaredVendor,
  type Fault,
  type ImageAdapter,
  type ImageCreate,
  type ImageReply,
  type JobOutcome,
  type MediaFile,
  type Upstream,
  type UpstreamReply,
  type UpstreamRequest,
  type VendorAdapter,
  type VideoAdapter,
  type VideoCreate,
  type VideoProgress,
} from '@model-gateway/provider-kit';
import {
  filesIn,
  type JobFile,
  type JobOrder,
  type JobRequest,
  type JobTicket,
  type JobTrouble,
  type JobVendor,
} from './job-vendor.ts';
import { refusalIn, saysRefused } from './job-refusal.ts';
import { webhookReader } from './webhook-signing.ts';

/** What vendors take as bytes; most of them take less. */
const PICTURES = { maxBytes: 10 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] } as const;

/** The adapter of a vendor of jobs. */
export function jobAdapter({ id, declares }: DeclaredVendor, vendor: JobVendor): VendorAdapter {
  const jobs = new Jobs(vendor);
  const { quirks = {}, ownsHost, modelList } = vendor;
  return {
    id,
    ...(vendor.videos !== undefined && { videos: new JobVideos(vendor, jobs) }),
    ...(vendor.images !== undefined && { images: new JobImages(vendor, jobs) }),
    declares: { ...declares, quirks },
    ...(ownsHost !== undefined && { ownsHost }),
    ...(modelList !== undefined && { modelList }),
    authorize: (_request, { credentials }) => vendor.authorize(credentials['api_key'] ?? ''),
    readFault: (reply) => refusalIn(vendor, reply),
  };
}

/** How a job is. */
type JobNews =
  | { readonly state: 'queued' | 'running'; readonly percent?: number; readonly payload: Json }
  | {
      readonly state: 'succeeded';
      readonly files: readonly JobFile[];
      readonly cost: number | undefined;
      readonly payload: Json;
    }
  | { readonly state: 'failed'; readonly fault: Fault; readonly payload: Json }
  | { readonly state: 'missing'; readonly payload: Json }
  | { readonly state: 'unknown'; readonly word: string; readonly payload: Json };

/** Making jobs and asking after them. */
class Jobs {
  private readonly vendor: JobVendor;

  constructor(vendor: JobVendor) {
    this.vendor = vendor;
  }

  /** Asks once: a vendor without a key against double submission is never asked again. */
  async start(
    order: JobOrder,
    request: Pick<UpstreamRequest, 'firstByteSeconds'> & Files,
    upstream: Upstream,
  ): Promise<JobTicket> {
    const { files, ...rest } = request;
    const { path, json: body } = this.requestFor(order);
    const content = files === undefined ? { json: body } : files.body(body);
    const { json } = await createJob(upstream, { method: 'POST', path, ...rest, ...content });
    const id = idAt(json, ...this.vendor.idAt);
    if (id === undefined) throw malformedReply('it names no job');
    const kept = Object.entries(this.vendor.keep ?? {}).flatMap(([name, place]): [string, Json][] => {
      const value = valueAt(json, ...place);
      return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [];
    });
    return { ...Object.fromEntries(kept), id, model: order.model };
  }

  private requestFor(order: JobOrder): JobRequest {
    const { submit, webhooks } = this.vendor;
    const request = submit(order);
    if (order.webhookUrl === undefined || webhooks === undefined) return request;
    return webhooks.withAddress(request, order.webhookUrl);
  }

  async ask(ticket: JobTicket, upstream: Upstream): Promise<JobNews> {
    const { vendor } = this;
    const { baseUrl } = upstream.account;
    const polled = await pollJob(upstream, { ...poll, ...vendor.status(ticket, baseUrl) });
    if ('missing' in polled) return { state: 'missing', payload: polled.missing };
    const { json, reply } = polled;
    const payload = upstream.storable(json);
    const word = vendor.wordAt.map((place) => wordIn(valueAt(json, ...place))).find((found) => found !== undefined);
    if (word === undefined) throw malformedReply('a job without a state');
    const state = Object.hasOwn(vendor.states, word) ? vendor.states[word] : undefined;
    const trouble = vendor.failure(json);
    if (state === 'failed' || (state === 'succeeded' && trouble !== undefined && vendor.result !== undefined)) {
      return { state: 'failed', fault: this.faultOf(trouble ?? {}, word, upstream), payload };
    }
    switch (state) {
      case undefined:
        return { state: 'unknown', word, payload };
      case 'missing':
        return { state, payload };
      case 'succeeded':
        return this.collect(ticket, reply, upstream);
      default: {
        const share = vendor.progressAt === undefined ? undefined : numberAt(json, ...vendor.progressAt);
        const percent = share === undefined ? undefined : Math.max(0, Math.min(99, Math.floor(share * 100)));
        return { state, payload, ...(percent !== undefined && { percent }) };
      }
    }
  }

  /** Takes a job out of its queue. One that has begun is left alone: what stopping it costs is not said. */
  async cancel(ticket: JobTicket, upstream: Upstream): Promise<void> {
    const { cancel } = this.vendor;
    const news = await this.ask(ticket, upstream);
    if (cancel === undefined || news.state !== 'queued') throw tooLate(`its vendor says ${news.state}`);
    try {
      await upstream.send({ ...cancel(ticket, upstream.account.baseUrl), notFound: 'task' });
    } catch (error) {
      const isLate = error instanceof GatewayError && (error.code === 'invalid_request' || isMissing(error));
      throw isLate ? tooLate(error.message) : error;
    }
  }

  private async collect(ticket: JobTicket, status: UpstreamReply, upstream: Upstream): Promise<JobNews> {
    const { vendor } = this;
    const at = vendor.result?.(ticket, upstream.account.baseUrl);
    let reply = status;
    try {
      if (at !== undefined) reply = await upstream.send({ ...poll, ...at });
    } catch (error) {
      const fault = endIn(error);
      if (fault === undefined) throw error;
      return { state: 'failed', fault, payload: upstream.storable(status.json ?? null) };
    }
    if (reply.json === undefined) throw malformedReply('a result that is no JSON');
    // The first place that has any: beside a film there may be a picture of it.
    const files = vendor.filesAt
      .map((place) => filesIn(valueAt(reply.json, ...place)))
      .find((found) => found.length > 0);
    if (files === undefined) throw malformedReply('a finished job without a file');
    return { state: 'succeeded', files, cost: this.costOf(ticket, reply), payload: upstream.storable(reply.json) };
  }

  private costOf(ticket: JobTicket, { json, headers }: UpstreamReply): number | undefined {
    const { at, header = '', kept = '' } = this.vendor.cost ?? {};
    return (
      (at === undefined ? undefined : numberAt(json, ...at)) ??
      numberAt({ ...headers }, header) ??
      numberAt(ticket, kept)
    );
  }

  private faultOf(trouble: JobTrouble, word: string, upstream: Pick<Upstream, 'scrub'>): Fault {
    const { message, code } = trouble;
    const isRefused = saysRefused(this.vendor, { message, code: `${word} ${code ?? ''}` });
    const fault: Fault = {
      code: isRefused ? 'content_refused' : 'upstream_unavailable',
      message: message ?? `the vendor ended the job as ${word}`,
      ...(code !== undefined && { vendorCode: code }),
    };
    return cleanFault(fault, (text) => upstream.scrub(text));
  }
}

function wordIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

interface Files {
  /** Pictures that are read while the request is sent. */
  readonly files?: StreamedFiles;
}

const poll = { method: 'GET', maxReplyBytes: MAX_POLL_BYTES, notFound: 'task' } as const;

/** What a refused result says of the job; a fault of the question itself is none. */
function endIn(error: unknown): Fault | undefined {
  if (!(error instanceof GatewayError)) return undefined;
  const { code, message, details } = error;
  if (code !== 'content_refused' && code !== 'invalid_request') return undefined;
  const { vendorCode } = details;
  return { code, message, ...(vendorCode !== undefined && { vendorCode }) };
}

function linksTo(
  files: readonly JobFile[],
  otherwise: string,
  linkSeconds: number,
  upstream: Pick<Upstream, 'now'>,
): MediaFile[] {
  const expiresAt = Math.floor(upstream.now() / 1000) + linkSeconds;
  return files.map(({ url, mime, width, height }) => ({
    url,
    mime: mime ?? (otherwise.startsWith('image/') ? mimeByName(url, otherwise) : otherwise),
    expiresAt,
    ...(width !== undefined && height !== undefined && { width, height }),
  }));
}

function asTicket(ticket: JsonObject): JobTicket {
  return { ...ticket, id: textAt(ticket, 'id') ?? '', model: textAt(ticket, 'model') ?? '' };
}

/** Its frames as the vendor has them. Whatever goes wrong with one, no job was made. */
async function uploadedBy(
  upload: NonNullable<JobVendor['upload']>,
  input: VideoCreate,
  upstream: Upstream,
): Promise<VideoCreate> {
  try {
    const images = await Promise.all(
      input.images.map(async (image) => ({ ...image, url: await upload(image.url, image.param, upstream) })),
    );
    return { ...input, images };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new GatewayError(error.code, error.message, { ...error.details, taken: 'no' });
  }
}

class JobVideos implements VideoAdapter {
  readonly cancel?: NonNullable<VideoAdapter['cancel']>;
  readonly refresh?: NonNullable<VideoAdapter['refresh']>;
  readonly webhooks?: NonNullable<VideoAdapter['webhooks']>;
  private readonly vendor: JobVendor;
  private readonly jobs: Jobs;

  constructor(vendor: JobVendor, jobs: Jobs) {
    this.vendor = vendor;
    this.jobs = jobs;
    if (vendor.webhooks !== undefined) this.webhooks = webhookReader(vendor.webhooks.signing);
    if (vendor.cancel !== undefined) this.cancel = (ticket, upstream) => jobs.cancel(asTicket(ticket), upstream);
    if (vendor.renewsLinks === true) {
      this.refresh = async (ticket, upstream) => {
        const news = await this.check(ticket, upstream);
        if (news.state === 'succeeded') return news.files;
        throw new GatewayError('upstream_unavailable', 'the vendor no longer has this task');
      };
    }
  }

  async start(...[input, upstream]: Parameters<VideoAdapter['start']>): ReturnType<VideoAdapter['start']> {
    const { upload, videos } = this.vendor;
    if (videos === undefined) throw new GatewayError('not_implemented', 'this vendor makes no videos');
    // What it cannot take is refused before anything is uploaded.
    let asked = videos(input, upstream);
    if (upload !== undefined && input.images.length > 0) {
      asked = videos(await uploadedBy(upload, input, upstream), upstream);
    }
    const { model = upstream.model, body, dropped } = asked;
    const order: JobOrder = { kind: 'video', model, body, webhookUrl: input.webhookUrl };
    return { ticket: await this.jobs.start(order, {}, upstream), dropped };
  }

  async check(ticket: JsonObject, upstream: Upstream): Promise<VideoProgress> {
    const news = await this.jobs.ask(asTicket(ticket), upstream);
    if (news.state !== 'succeeded') return news;
    const { files, cost, payload } = news;
    const seconds = files.reduce((sum, file) => sum + (file.seconds ?? 0), 0);
    const usage: Usage = {
      videos: files.length,
      ...(seconds > 0 && { seconds }),
      ...(cost !== undefined && { units: cost }),
    };
    return {
      state: 'succeeded',
      files: linksTo(files, 'video/mp4', this.vendor.linkSeconds, upstream),
      usage,
      payload,
    };
  }
}

class JobImages implements ImageAdapter {
  private readonly vendor: JobVendor;
  private readonly jobs: Jobs;

  constructor(vendor: JobVendor, jobs: Jobs) {
    this.vendor = vendor;
    this.jobs = jobs;
  }

  async generate(...[input, upstream]: Parameters<ImageAdapter['generate']>): ReturnType<ImageAdapter['generate']> {
    const { vendor } = this;
    refuseMask(input);
    const count = imageCount(input, MOST_PICTURES);
    const isTogether = count > 1 && vendor.countField?.(upstream) !== undefined;
    const jobs = await repeatedly(isTogether ? 1 : count, (index) =>
      this.draw(isTogether ? input : inputOfPicture(withoutCount(input), index), upstream),
    );
    const made = jobs.flatMap((job) => ('fault' in job ? [] : [job]));
    const files = jobs.flatMap((job): ImageReply['files'] => ('fault' in job ? [job] : job.files));
    const costs = made.flatMap(({ cost }) => cost ?? []);
    const requestId = made[0]?.id;
    return {
      files,
      usage: usageOf({
        images: files.filter((file) => !('fault' in file)).length,
        units: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
      }),
      dropped: made[0]?.dropped ?? [],
      ...(requestId !== undefined && { requestId }),
    };
  }

  /** One job, waited for. */
  private async draw(input: ImageCreate, upstream: Upstream): Promise<DrawnPictures> {
    const files = new StreamedFiles();
    const how = { upstream, limits: PICTURES, files };
    const pictures = await Promise.all(input.images.map((image) => imageAddress(image, how)));
    const asked = this.vendor.images?.(input, pictures, upstream);
    if (asked === undefined) throw new GatewayError('not_implemented', 'this vendor makes no pictures');
    const { model = upstream.model, body, dropped } = asked;
    const ticket = await this.jobs.start(
      { kind: 'image', model, body },
      { firstByteSeconds: IMAGE_SECONDS, files },
      upstream,
    );
    const { links, cost } = await finishedJob(upstream, 'picture', () => this.outcome(ticket, upstream));
    return { id: ticket.id, files: linksTo(links, 'image/png', this.vendor.linkSeconds, upstream), cost, dropped };
  }

  private async outcome(
    ticket: JobTicket,
    upstream: Upstream,
  ): Promise<JobOutcome<{ readonly links: readonly JobFile[]; readonly cost: number | undefined }>> {
    const news = await this.jobs.ask(ticket, upstream);
    switch (news.state) {
      case 'succeeded':
        return { state: 'done', result: { links: news.files, cost: news.cost } };
      case 'failed':
        return { state: 'failed', error: failedAs(news.fault, upstream) };
      case 'missing':
        return { state: 'missing' };
      default:
        return { state: 'running' };
    }
  }
}

/** As many as the neutral form asks for at most. */
const MOST_PICTURES = 10;

interface DrawnPictures {
  readonly id: string;
  readonly files: readonly MediaFile[];
  readonly cost: number | undefined;
  readonly dropped: readonly string[];
}

function failedAs(fault: Fault, upstream: Pick<Upstream, 'scrub'>): GatewayError {
  return fault.message === '' ? lostJob('the vendor ended the picture’s task') : midReplyError(fault, upstream);
}

function withoutCount(input: ImageCreate): ImageCreate {
  const { count: _count, ...rest } = input;
  return rest;
}
