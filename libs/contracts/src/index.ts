export {
  believedRetryAfter,
  ERRORS,
  GatewayError,
  LONGEST_RETRY_AFTER_SECONDS,
  type ErrorCode,
  type GatewayErrorDetails,
} from './errors.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export { setTopLevel, withoutTopLevel } from './json-edit.ts';
export { DIALECT_NAMES, TEXT_COMPLETIONS, WIRE_NAMES, type ChatFormat, type DialectName } from './dialects.ts';
export type { DeclaredField, DeclaredFields } from './declared-field.ts';
export { UNITS_PER_DOLLAR } from './money.ts';
export { moneyLimitOf } from './money-refusal.ts';
export type { Usage } from './usage.ts';
export type { components, operations, paths } from './generated/api.d.ts';
export {
  AUDIT_ACTIONS,
  MODEL_KINDS,
  OPERATION_NAMES,
  OPERATIONS,
  VERSION,
  type OperationFacts,
} from './generated/operations.ts';
