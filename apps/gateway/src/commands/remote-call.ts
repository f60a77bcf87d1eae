/** Calls of a gateway elsewhere. Imported late: commands that make none load no client. */
import {
  ApiError,
  ConnectionError,
  createAdmin,
  createClient,
  StreamError,
  TaskFailedError,
  TimeoutError,
  type Client,
  type Input,
} from '@model-gateway/client';
import type { CallOperation, Downloads } from './call-operation.ts';
import { CommandFault, faultOfRefusal, misuse } from './command-fault.ts';
import type { Target } from './target.ts';

/** Connects and does the work. Rejects with a CommandFault for what the gateway refused. */
export async function callGateway<T>(
  target: Target,
  maxRetries: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  try {
    return await work(createClient({ baseUrl: target.url, apiKey: target.key, maxRetries }));
  } catch (error) {
    throw faultOfCall(error, target);
  }
}

/** Calls operations of `target` by their ids, each once more where no answer came. */
export function callOf({ url, key }: Target): CallOperation {
  const client = createClient({ baseUrl: url, apiKey: key, maxRetries: 1 });
  return async (id, input, { idempotencyKey } = {}) =>
    client.call(id, input as Input<typeof id>, { ...(idempotencyKey !== undefined && { idempotencyKey }) });
}

/** Files of `target`, piece by piece. */
export function downloadsOf({ url, key }: Target): Downloads {
  const admin = createAdmin({ baseUrl: url, apiKey: key, maxRetries: 1 });
  return {
    jobFile: async (id) => (await admin.jobs.download(id)).chunks(),
    statement: async (ownerId, query) => (await admin.owners.statementCsv(ownerId, query)).chunks(),
  };
}

/** The fault of a call to `target`; anything else comes back as it is. */
export function faultOfCall(error: unknown, { where }: Pick<Target, 'where'>): unknown {
  if (error instanceof ApiError) return refusal(error, where);
  if (error instanceof TimeoutError) return new CommandFault(`${where} did not answer in time; try again.`);
  if (error instanceof ConnectionError)
    return new CommandFault(
      `No gateway answers at ${where} (${causeOf(error)}). Is it running? gateway serve starts one here; --url names another.`,
    );
  if (error instanceof StreamError || error instanceof TaskFailedError) return new CommandFault(ended(error.message));
  return error;
}

function refusal(error: ApiError, where: string): CommandFault {
  const { status, code, param, requestId } = error;
  const message = error.message.replace(`${status} ${code}: `, '');
  if (status === 401) return new CommandFault(`${where} refused the key: ${ended(message)}`);
  if (code === 'model_not_found')
    return misuse('-m: there is no such model for this key; gateway models lists those that there are.');
  const fault = faultOfRefusal({ code, message, param });
  const isTheirs = status >= 500 && requestId !== undefined;
  return isTheirs ? new CommandFault(`${fault.message} (request ${requestId})`, fault.exitCode) : fault;
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Node's word: `ECONNREFUSED`. */
function causeOf(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return error.message;
}
