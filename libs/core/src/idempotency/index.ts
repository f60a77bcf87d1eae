export {
  createIdempotencyService,
  type IdempotencyService,
  type StoredAnswer,
  type AnswerClaim,
} from './idempotency-service.ts';
