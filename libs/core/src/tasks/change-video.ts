/** A finished video made into another one: who can, for how much, and what its vendor is told. */
import type { VideoChange, VideoCreate } from '@model-gateway/provider-kit';
import { GatewayError } from '@model-gateway/contracts';
import { findModel, offersFor, type ModelRow, type Offer } from '../catalogue.ts';
import { defaultDuration } from '../kinds/video/row-limits.ts';
import { wrong } from '../kinds/video/shapes/fields.ts';
import { readVideoBody } from '../kinds/video/video-body.ts';
import { readVendorWords } from '../kinds/video/video-class.ts';
import { mayUseModel } from '../keys/api-keys.ts';
import { rowsBelow } from '../paid/routed.ts';
import type { Caller } from '../parts.ts';
import type { TaskRecord } from '../ports.ts';
import { storedInput } from './stored-input.ts';
import type { TaskIntent } from './submit.ts';
import type { AskedChange, TaskParts } from './types.ts';
import { dedupeKeyOf } from './vendor-check.ts';
import { videoWork } from './video-work.ts';

export interface ChangeOfVideo extends AskedChange {
  /** Where its film can be fetched; '' before the end. */
  readonly address: string;
}

const FIELD = 'video';
/** As it is said to people. */
const VERBS: Readonly<Record<VideoChange, string>> = { remix: 'remixes', edit: 'edits', extend: 'extends' };

/** An offer, and what its vendor knows the video by. */
interface Able {
  readonly row: ModelRow;
  readonly offer: Offer;
  readonly by: 'ticket' | 'address';
}

/** Throws `invalid_request` where the video has not ended well, or nobody who serves its model can do this. */
export function changeIntent(parts: TaskParts, caller: Caller, asked: ChangeOfVideo): TaskIntent {
  const { source, change, address } = asked;
  const { ticket } = source;
  if (source.kind !== 'video' || source.state !== 'SUCCESS' || ticket === undefined)
    throw wrong(FIELD, 'must be a finished video; wait for its end, or name another one');
  const row = findModel(parts.catalogue(), source.model, ['video']);
  const able = ableTo(parts, caller, { ...asked, row });
  const [first] = able;
  if (first === undefined) throw cannot(parts, caller, row, change);
  const id = `${row.videoShape === 'seconds' ? 'video_' : 'task_'}${parts.randomId()}`;
  const { draft, family } = readVideoBody(bodyOf(asked), first.row, 'videos');
  const film = { role: change === 'extend' ? ('first_clip' as const) : ('base' as const), url: address, param: FIELD };
  const input: VideoCreate = {
    ...draft,
    ...(first.by === 'address' && { videos: [film] }),
    source: { change, ticket },
    dedupeKey: dedupeKeyOf(id),
  };
  const priced = { ...likeSource(source), ...input };
  const hold = able
    .map((each) => parts.money.quote(each.row, priced, caller.key.group))
    .reduce((highest, each) => (each.amount > highest.amount ? each : highest));
  const usual = defaultDuration(first.row);
  return {
    task: {
      id,
      kind: 'video',
      model: row.code,
      input: storedInput(priced, {
        family,
        change,
        changed_from: source.id,
        ...(usual !== undefined && { default_duration: usual }),
        ...(source.input['elsewhere'] !== undefined && { elsewhere: source.input['elsewhere'] }),
        ...(source.input['default_size'] !== undefined && { default_size: source.input['default_size'] }),
      }),
      quota: hold.amount,
      deadlineAt: parts.now() + (row.deadlineHours ?? parts.settings.deadlineHours) * 3_600_000,
    },
    hold,
    offers: parts.router.order(
      able.map(({ offer }) => offer),
      row,
    ),
    ...videoWork(parts, input, { id, model: row.code, ownerId: caller.key.ownerId, mode: caller.mode }),
  };
}

/** What OpenAI's own body would say: a remix and an edit are as long as what they are made from, and as large. */
function bodyOf({ source, change, prompt, seconds }: ChangeOfVideo) {
  const { duration, size } = source.input;
  const length = change === 'extend' ? seconds : typeof duration === 'number' ? duration : undefined;
  return {
    model: source.model,
    prompt,
    ...(length !== undefined && { seconds: String(length) }),
    ...(typeof size === 'string' && /^\d+x\d+$/.test(size) && { size }),
  };
}

/** What a vendor takes from the film and is not told: it is as sharp, as wide and as loud. */
function likeSource({ input: { resolution, ratio, audio, elsewhere } }: TaskRecord) {
  const said = readVendorWords(elsewhere);
  return {
    ...(said !== undefined && { elsewhere: said }),
    ...(typeof resolution === 'string' && { resolution }),
    ...(typeof ratio === 'string' && { ratio }),
    ...(typeof audio === 'boolean' && { audio }),
  };
}

/** All that know it by a ticket, which are of the account that made it; else those that fetch it. */
function ableTo(
  parts: TaskParts,
  caller: Caller,
  { row, change, source }: Pick<ChangeOfVideo, 'change' | 'source'> & { readonly row: ModelRow },
): readonly Able[] {
  const catalogue = parts.catalogue();
  const able = rowsBelow(catalogue, row).flatMap((each) =>
    offersFor(catalogue, each, caller.mode).flatMap((offer): readonly Able[] => {
      const by = changesOf(parts, offer)[change];
      if (by === undefined || (by === 'ticket' && offer.account.id !== source.accountId)) return [];
      return [{ row: each, offer, by }];
    }),
  );
  const own = able.filter(({ by }) => by === 'ticket');
  return own.length > 0 ? own : able;
}

function changesOf({ adapters }: TaskParts, { account }: Offer) {
  return adapters.get(account.vendor)?.videos?.changes?.(account) ?? {};
}

/** Says which models of the caller's can; or that the account which made it is not there. */
function cannot(parts: TaskParts, caller: Caller, row: ModelRow, change: VideoChange): GatewayError {
  const catalogue = parts.catalogue();
  const can = (each: ModelRow): boolean => each.offers.some((offer) => changesOf(parts, offer)[change] !== undefined);
  if (rowsBelow(catalogue, row).some(can))
    return new GatewayError('unavailable', `${FIELD}: the vendor account that made it is not available at the moment`, {
      param: FIELD,
      taken: 'no',
    });
  const codes = [...catalogue.models.values()]
    .filter((each) => each.kind === 'video' && can(each) && mayUseModel(caller.key, each.code))
    .map(({ code }) => code);
  const who = codes.length === 0 ? 'no model here does' : `those that do: ${codes.join(', ')}`;
  return wrong(FIELD, `is of the model '${row.code}', which ${VERBS[change]} no videos; ${who}`);
}
