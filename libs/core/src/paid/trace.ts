import type { DialectName, Usage } from '@model-gateway/contracts';
import type { Dropped } from '@model-gateway/translate';

/** What happened to a request, for headers, logs and metrics; filled while it happens. */
export interface Trace {
  accountId: number | undefined;
  vendor: string | undefined;
  /** Questions to vendors. */
  attempts: number;
  dropped: readonly Dropped[];
  usage: Usage | undefined;
  /** Quota units. */
  charged: number;
  /** The dialect the vendor was asked in; undefined for what is no chat. */
  upstreamDialect: DialectName | undefined;
}

/** A fresh trace. */
export function newTrace(): Trace {
  return {
    accountId: undefined,
    vendor: undefined,
    attempts: 0,
    dropped: [],
    usage: undefined,
    charged: 0,
    upstreamDialect: undefined,
  };
}

/** Inputs that the vendor has no setting for, as a trace tells them. */
export function withoutSetting(fields: readonly string[]): readonly Dropped[] {
  return fields.map((field) => ({ field, reason: 'the vendor has no such setting' }));
}
