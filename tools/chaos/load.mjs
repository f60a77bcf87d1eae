/** A small load: chat in four dialects, streams, and tasks that are asked for with an Idempotency-Key until there is an answer. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY } from './world.mjs';

const PAUSE_MS = 60;
/** Whoever waits longer than this for an answer was forgotten. */
export const PATIENCE_MS = 20_000;
/** After the fault every task is asked for until its fate is known. */
const LAST_PATIENCE_MS = 60_000;
const MESSAGE = 'Tell me of the sea. [[twin:long=40]]';

/** A picture of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const isText = (value) => typeof value === 'string' && value !== '';
const openAiError = ({ error }) => isText(error?.message) && isText(error.type);
/** By caller: where it asks, with what, and what an error looks like to its SDK. */
const CHATS = [
  {
    name: 'openai-chat',
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: MESSAGE }] },
    isError: openAiError,
  },
  { name: 'openai-responses', path: '/v1/responses', body: { input: MESSAGE }, isError: openAiError },
  {
    name: 'anthropic-messages',
    path: '/v1/messages',
    body: { max_tokens: 200, messages: [{ role: 'user', content: MESSAGE }] },
    isError: ({ type, error }) => type === 'error' && isText(error?.type) && isText(error.message),
  },
  {
    name: 'gemini-generate',
    path: '/v1beta/models/chat:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: MESSAGE }] }] },
    isError: ({ error }) => Number.isInteger(error?.code) && isText(error.status) && isText(error.message),
  },
];
const STREAMS = CHATS.slice(0, 3);
const TASKS = [
  (text) => ({ model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text }], duration: 5 }),
  (text) => ({ model: 'kling-v3-omni', prompt: text, duration: 5 }),
  (text) => ({ model: 'MiniMax-Hailuo-2.3', prompt: text, duration: 6 }),
];
const taskError = ({ code, message }) => isText(code) && isText(message);
/** How each dialect's stream ends well, and how it says that something went wrong. */
const STREAM_ENDS = /data: \[DONE\]|event: message_stop|response\.completed|response\.incomplete|"finishReason"/;
const STREAM_ERRORS = /event: error|"error":\s*\{|response\.failed/;

/** Starts the load, with picture edits where they are asked for; `stop` ends it and asks for every task until its fate is known. */
export function startLoad({ url }, { edits = false } = {}) {
  const run = randomUUID().slice(0, 8);
  const counts = { ok: 0, streams: 0, edits: 0, errors: {}, refusedConnections: 0, cutStreams: 0 };
  const problems = [];
  const replies = [];
  const tasks = [];
  let lastOk = performance.now();
  let longestGapMs = 0;
  let slowestMs = 0;
  let mayLose = false;
  let stopped = false;

  const answered = () => {
    const at = performance.now();
    if (!stopped) longestGapMs = Math.max(longestGapMs, at - lastOk);
    lastOk = at;
  };
  const problem = (text) => problems.length < 200 && problems.push(text);
  /** Undefined: nobody answered, which is right only while the process is away. */
  const send = async (path, body, headers = {}) => {
    const begun = performance.now();
    const lossAtStart = mayLose;
    try {
      const reply = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      let text = '';
      let cut = false;
      try {
        for await (const chunk of reply.body) text += Buffer.from(chunk).toString('latin1');
      } catch (error) {
        if (error.name === 'TimeoutError') throw error;
        cut = true;
      }
      slowestMs = Math.max(slowestMs, performance.now() - begun);
      if (replies.length < 5_000) replies.push(`${JSON.stringify([...reply.headers])}\n${text}`);
      return { status: reply.status, text, cut, away: lossAtStart || mayLose };
    } catch (error) {
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      if (error.name === 'TimeoutError') problem(`${path} had no answer after ${seconds} s`);
      else if (lossAtStart || mayLose) counts.refusedConnections++;
      else
        problem(`${path} was hung up on without an answer after ${seconds} s: ${error.cause?.code ?? error.message}`);
      return undefined;
    }
  };
  const parsed = ({ text }) => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };
  /** The code of an error that its SDK can read; a problem when it cannot. */
  const errorOf = (reply, { name, isError }) => {
    const json = parsed(reply);
    if (json === undefined || json === null || !isError(json)) {
      if (!(reply.cut && reply.away))
        problem(`${name} got ${reply.status} that is no error of its dialect: ${reply.text.slice(0, 200)}`);
      return undefined;
    }
    const code = json.code ?? json.error?.code ?? json.error?.type;
    const told = `${reply.status} ${code}`;
    counts.errors[told] = (counts.errors[told] ?? 0) + 1;
    if (reply.status < 400) problem(`${name} got an error under ${reply.status}`);
    if (reply.status === 500 && /something went wrong/.test(reply.text))
      problem(`${name} got 500, a fault of our own: ${reply.text.slice(0, 200)}`);
    return code;
  };
  const chat = async (caller) => {
    const reply = await send(caller.path, {
      model: 'chat',
      ...caller.body,
      ...(caller.name === 'gemini-generate' && { model: undefined }),
    });
    if (reply === undefined) return;
    if (reply.status !== 200) errorOf(reply, caller);
    else if (parsed(reply) === undefined && !reply.away) problem(`${caller.name} got half an answer`);
    else if (!reply.cut) {
      counts.ok++;
      answered();
    }
  };
  const stream = async (caller) => {
    const reply = await send(caller.path, { model: 'chat', stream: true, ...caller.body });
    if (reply === undefined) return;
    if (reply.status !== 200) errorOf(reply, caller);
    else if (STREAM_ERRORS.test(reply.text)) counts.errors['in a stream'] = (counts.errors['in a stream'] ?? 0) + 1;
    else if (STREAM_ENDS.test(reply.text) && !reply.cut) counts.streams++;
    else if (reply.away) counts.cutStreams++;
    else
      problem(`a stream of ${caller.name} broke off without an end and without an error: …${reply.text.slice(-120)}`);
  };
  const edit = async () => {
    const form = new FormData();
    form.set('model', 'edit');
    form.set('prompt', 'Paint the sky red.');
    form.set('image', new Blob([PICTURE], { type: 'image/png' }), 'boat.png');
    const reply = await send('/v1/images/edits', form);
    if (reply === undefined) return;
    if (reply.status !== 200) errorOf(reply, { name: 'an edit', isError: openAiError });
    else if (!reply.cut) counts.edits++;
    await sleep(PAUSE_MS * 4);
  };
  const newTask = () => {
    const task = { name: `chaos ${run} number ${tasks.length}.`, key: randomUUID() };
    task.body = TASKS[tasks.length % TASKS.length](task.name);
    tasks.push(task);
    return task;
  };
  /** True when its fate is known: acknowledged, or refused for good. */
  const ask = async (task) => {
    const reply = await send('/v1/video/generations', task.body, { 'idempotency-key': task.key });
    if (reply === undefined) return false;
    if (reply.status === 200) {
      const id = parsed(reply)?.task_id;
      if (id === undefined) return false;
      if (task.id !== undefined && task.id !== id) problem(`${task.name} was ${task.id}, then ${id}`);
      if (task.refused !== undefined) problem(`${task.name} was refused with ${task.refused}, then acknowledged`);
      task.id = id;
      answered();
      return true;
    }
    const code = errorOf(reply, { name: 'a task', isError: taskError });
    if (code === undefined) return false;
    task.last = code;
    // An outcome that is unknown, and a vendor that was reached and said no: the same key gives the same answer from now on.
    if (code === 'submission_unknown') {
      if (task.id !== undefined) problem(`${task.name} was acknowledged, then unknown`);
      task.refused = code;
      return true;
    }
    return false;
  };
  const loop = async (work) => {
    while (!stopped) {
      await work();
      await sleep(PAUSE_MS);
    }
  };
  const running = [
    ...CHATS.map((caller) => loop(() => chat(caller))),
    ...STREAMS.map((caller) => loop(() => stream(caller))),
    ...(edits ? [loop(edit)] : []),
    ...[0, 1].map(() =>
      loop(async () => {
        const task = newTask();
        for (let tries = 0; tries < 3 && !stopped; tries++) {
          if (await ask(task)) break;
          await sleep(PAUSE_MS * 4);
        }
        await sleep(PAUSE_MS * 4);
      }),
    ),
  ];

  return {
    counts,
    problems,
    replies,
    tasks,
    slowestMs: () => slowestMs,
    /** The longest time in which nothing was answered well. */
    longestGapMs: () => longestGapMs,
    /** While the process is away (killed, stopped) a connection may be refused or cut. */
    away(yes) {
      mayLose = yes;
    },
    /** Resolves with the milliseconds until a request that was begun after now was answered well, or undefined. */
    async worksAgain(ms) {
      const begun = performance.now();
      while (performance.now() - begun < ms) {
        const before = performance.now();
        await sleep(50);
        if (lastOk > before) return lastOk - begun;
      }
      return undefined;
    },
    async stop() {
      stopped = true;
      await Promise.all(running);
      const until = performance.now() + LAST_PATIENCE_MS;
      for (const task of tasks)
        while (task.id === undefined && task.refused === undefined && performance.now() < until)
          if (!(await ask(task))) await sleep(300);
    },
    send,
  };
}
