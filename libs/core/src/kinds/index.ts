/** The kinds of models, and what may be asked of any of them without knowing which it is. */
import { GatewayError, OPERATIONS, type OperationFacts } from '@model-gateway/contracts';
import type { ModelKind, ModelRow } from '../catalogue.ts';
import type { KindModule, KindName, OperationId, RowSettings } from '../kind-module.ts';
import { chatKind } from './chat/index.ts';
import { embeddingKind } from './embedding/index.ts';
import { imageKind } from './image/index.ts';
import { moderationKind } from './moderation/index.ts';
import { musicKind } from './music/index.ts';
import { realtimeKind } from './realtime/index.ts';
import { rerankKind } from './rerank/index.ts';
import { speechKind } from './speech/index.ts';
import { transcriptionKind } from './transcription/index.ts';
import { videoKind } from './video/index.ts';

export * from './embedding/index.ts';
export * from './image/index.ts';
export * from './moderation/index.ts';
export * from './music/index.ts';
export * from './realtime/index.ts';
export * from './rerank/index.ts';
export * from './speech/index.ts';
export * from './transcription/index.ts';
export * from './video/index.ts';

/** Every kind. A new one is a folder, and its lines here. */
export const KINDS: readonly KindModule[] = [
  chatKind,
  imageKind,
  speechKind,
  musicKind,
  transcriptionKind,
  videoKind,
  embeddingKind,
  moderationKind,
  rerankKind,
  realtimeKind,
];

/** The kinds of rows that there are. */
export const MODEL_KINDS: readonly ModelKind[] = KINDS.flatMap(({ rows }) => Object.keys(rows) as ModelKind[]);

/** The kind that an operation asks for. */
export function kindNamed(name: KindName): KindModule {
  const kind = KINDS.find((each) => each.name === name);
  if (kind === undefined) throw new GatewayError('internal', `there is no kind ${name}`);
  return kind;
}

/** The kind of a row. */
export function kindOf(row: Pick<ModelRow, 'kind'>): KindModule {
  const kind = KINDS.find(({ rows }) => rows[row.kind] !== undefined);
  if (kind === undefined) throw new GatewayError('internal', `no kind has rows of kind ${row.kind}`);
  return kind;
}

/** The kind of row that a vendor's name of a model speaks of: chat, unless a word in it says otherwise. */
export function likelyKind(name: string): ModelKind {
  // Rerankers, and models that embed pictures, have words of two kinds: the later one says more.
  const found = KINDS.toReversed().find(({ likelyNames }) => likelyNames?.test(name) === true);
  const [row] = Object.keys((found ?? chatKind).rows) as ModelKind[];
  return row ?? 'chat';
}

/** What the configuration must say about rows of this kind. */
export function rowSettings(kind: ModelKind): RowSettings {
  return kindOf({ kind }).rows[kind] ?? {};
}

/** Whether this operation reaches the model. */
export function isReachedBy(row: ModelRow, operation: OperationId): boolean {
  return kindOf(row).describe(row).operations.includes(operation);
}

/** The paths that reach the model, the usual one first. */
export function pathsOf(row: ModelRow): string[] {
  return kindOf(row)
    .describe(row)
    .operations.map((id) => factsOf(id).path);
}

/** The facts of an operation. */
export function factsOf(id: OperationId): OperationFacts {
  return OPERATIONS[id];
}
