/** Calls of a gateway elsewhere. Imported late: commands that make none load no client. */
import { createClient, type Client } from '@model-gateway/client';
import { faultOfCall } from './remote-fault.ts';
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
