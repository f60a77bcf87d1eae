/** What the catalogue says of the target model, and the refusals that follow from it. */
import type { Json } from '@model-gateway/contracts';
import type { AudioPart, ChatRequest, DocumentPart, ImagePart, VideoPart } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { fieldName, type Setting } from './field-names.ts';
import { invalid } from './read.ts';

/** A fine point of the target model; undefined = the newest behaviour of its dialect. */
export function quirk(target: Target, name: string): Json | undefined {
  return target.quirks?.[name];
}

type Media = ImagePart | DocumentPart | AudioPart | VideoPart;
const PLURALS: Readonly<Record<Media['type'], string>> = {
  image: 'images',
  document: 'documents',
  audio: 'audio',
  video: 'video',
};

/** Throws `invalid_request` with the place when the catalogue says the model does not take this kind of input. */
export function requireInput(target: Target, part: Media): void {
  if (target.inputs === undefined || target.inputs.includes(part.type)) return;
  throw invalid(part.place ?? 'messages', `the model takes no ${PLURALS[part.type]}`);
}

/** Throws `invalid_request` for what only the caller's own dialect can do. */
export function refuseUnportable(request: ChatRequest): void {
  const first = request.unportable?.[0];
  if (first !== undefined) throw invalid(first.field, first.reason);
}

/** Throws `invalid_request` for a setting whose loss would change the meaning of the answer. */
export function refuseSetting(request: ChatRequest, setting: Setting, reason: string): never {
  throw invalid(fieldName(request, setting), reason);
}
