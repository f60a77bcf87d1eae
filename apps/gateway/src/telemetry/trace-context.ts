/** W3C trace context on its way in and out: https://www.w3.org/TR/trace-context/ */
import { isSpanContextValid, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';

const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST_STATE = 512;

/** The span that a header names; undefined for what is none: it is ignored, as the recommendation says. */
export function readTraceParent(header: string | undefined, state?: string): SpanContext | undefined {
  const match = header === undefined ? null : TRACE_PARENT.exec(header.trim());
  if (match === null) return undefined;
  const [, version, traceId = '', spanId = '', flags = '00', rest] = match;
  // Later versions may have more behind the flags; the first has not, and 255 is none.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const found: SpanContext = {
    traceId,
    spanId,
    traceFlags: (parseInt(flags, 16) & TraceFlags.SAMPLED) === 0 ? TraceFlags.NONE : TraceFlags.SAMPLED,
    isRemote: true,
    ...(state !== undefined && state !== '' && state.length <= LONGEST_STATE && { traceState: new TraceState(state) }),
  };
  return isSpanContextValid(found) ? found : undefined;
}

/** The header that names a span. */
export function writeTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
