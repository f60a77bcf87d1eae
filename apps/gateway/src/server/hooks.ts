/** The way to addresses of the operator's that judge texts: they stand in the configuration and in nothing that a caller sends, so they may be private ones. */
import type { HookReply, HookRequest, Hooks } from '@model-gateway/core';
import { Agent, request, type Dispatcher } from 'undici';

const CONNECT_MS = 5_000;
/** Whoever waits longer than its time for a place gets none; and so many wait at most. */
const MOST_WAITING = 1_000;

/** Opens nothing before the first question. */
export function openHooks(resources: AsyncDisposableStack): Hooks {
  const lines = new Map<string, Line>();
  resources.defer(async () => {
    await Promise.all([...lines.values()].map(({ agent }) => agent.destroy()));
  });
  const lineTo = (url: string): Line => {
    const { origin } = new URL(url);
    let line = lines.get(origin);
    if (line === undefined) lines.set(origin, (line = { agent: agent(), places: createPlaces() }));
    return line;
  };
  return {
    async ask(asked) {
      const { agent: dispatcher, places } = lineTo(asked.url);
      const late = AbortSignal.timeout(asked.timeoutMs);
      if (!(await places.take(asked.atOnce, late)))
        return fault(late.aborted ? 'it waited too long for a free slot' : 'too many checks are waiting for it');
      try {
        return await answerTo(asked, dispatcher, late);
      } catch (error) {
        if (late.aborted) return fault(`it took longer than ${asked.timeoutMs} ms`);
        return fault(`it could not be reached (${codeOf(error)})`);
      } finally {
        places.leave();
      }
    },
  };
}

interface Line {
  readonly agent: Agent;
  readonly places: Places;
}

function agent(): Agent {
  return new Agent({ connect: { timeout: CONNECT_MS }, pipelining: 1 });
}

async function answerTo(asked: HookRequest, dispatcher: Dispatcher, signal: AbortSignal): Promise<HookReply> {
  const { statusCode, body } = await request(asked.url, {
    dispatcher,
    method: 'POST',
    headers: {
      'accept-encoding': 'identity',
      ...asked.headers,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: asked.body,
    signal,
  });
  // Of a body that is thrown away unread nobody hears the error.
  body.on('error', () => undefined);
  if (statusCode !== 200) {
    body.destroy();
    return fault(`it answered ${statusCode} instead of 200`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > asked.largest) {
      body.destroy();
      return fault(`its answer is larger than ${asked.largest} bytes`);
    }
    chunks.push(chunk);
  }
  return { ok: true, body: Buffer.concat(chunks, size).toString() };
}

/** Never the message of an error: it may quote the address. */
function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : 'no connection';
}

function fault(why: string): HookReply {
  return { ok: false, fault: why };
}

/** Places for those who ask at once. */
interface Places {
  /** False when there is none in time, or too many wait. */
  take(most: number, late: AbortSignal): Promise<boolean>;
  leave(): void;
}

function createPlaces(): Places {
  const waiting = new Set<() => void>();
  let taken = 0;
  return {
    async take(most, late) {
      if (taken < most) {
        taken++;
        return true;
      }
      if (waiting.size >= MOST_WAITING) return false;
      return new Promise((resolve) => {
        const given = (): void => {
          late.removeEventListener('abort', gone);
          waiting.delete(given);
          resolve(true);
        };
        const gone = (): void => {
          waiting.delete(given);
          resolve(false);
        };
        late.addEventListener('abort', gone, { once: true });
        waiting.add(given);
      });
    },
    leave() {
      const [next] = waiting;
      // The place is handed on as it is.
      if (next === undefined) taken--;
      else next();
    },
  };
}
