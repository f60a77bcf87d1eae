import type { JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../../catalogue.ts';

/** A body in the neutral form, before the task has an id. */
export type VideoDraft = Omit<VideoCreate, 'dedupeKey'>;

/** Reads one of the six body shapes (`callback_url` already removed), or throws 400 naming the field. */
export type ShapeReader = (body: JsonObject, row: ModelRow) => VideoDraft;
