/** What went wrong with a request, in words. */
import { t } from '../text/text.ts';

export interface Fault {
  readonly message: string;
  /** A code of the document's list, or `network`. */
  readonly code: string;
  /** The status of the answer; 0 when none came. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** The field of the request that is wrong: `limits.spend_per_day`. */
  readonly param?: string | undefined;
}

export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Reads a refusal in any of the forms that the gateway has: OpenAI's, Anthropic's, Google's. */
export function readFault(body: unknown, response: Response): Fault {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : undefined;
  const said = [error?.['message'], isRecord(body) ? body['message'] : undefined].find(isText);
  const code = [error?.['code'], error?.['type'], error?.['status']].find(isText);
  return {
    message: said ?? t('The gateway answered with status {status}.', { status: response.status }),
    code: code ?? `http_${response.status}`,
    status: response.status,
    requestId,
    param: [error?.['param']].find(isText),
  };
}

/** What is wrong with one field of a form, as the gateway said it; undefined for the others. */
export function faultAt(error: unknown, field: string): string | undefined {
  if (error === null) return undefined;
  const { param, message } = faultOf(error);
  if (param === undefined) return undefined;
  return param === field || param.startsWith(`${field}[`) || param.startsWith(`${field}.`) ? message : undefined;
}

/** What an error of any kind says to people. */
export function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  return { message, code: 'internal', status: 0, requestId: undefined };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
