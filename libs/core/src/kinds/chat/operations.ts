/** The operations that ask chat models, or count what they would be asked, each in its dialect: as the document says. */
import { OPERATIONS, type DialectName, type OperationFacts } from '@model-gateway/contracts';
import type { OperationId } from '../../kind-module.ts';

export interface ChatOperation {
  readonly id: OperationId;
  readonly dialect: DialectName;
  /** For the ledger: its path, or the method of a model where the path names that: `generateContent`. */
  readonly endpoint: string;
  /** Where the path says so: whether it asks for a stream. */
  readonly streamed?: boolean;
  /** It asks a model; else it counts. */
  readonly paid: boolean;
}

export const CHAT_OPERATIONS: readonly ChatOperation[] = (
  Object.entries(OPERATIONS) as [OperationId, OperationFacts][]
).flatMap(([id, { kind, dialect, path, model, paid, streams }]) => {
  if (kind !== 'chat' || dialect === undefined) return [];
  if (model !== 'path') return [{ id, dialect, endpoint: path, paid }];
  return [{ id, dialect, endpoint: path.slice(path.lastIndexOf(':') + 1), paid, streamed: streams }];
});
