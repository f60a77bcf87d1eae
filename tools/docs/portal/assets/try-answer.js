// What comes back: text, events, pictures, films and sound; and tasks, which are waited for with their progress until they can be played.
(() => {
  'use strict';
  const { element, base, key } = window.PORTAL;
  const POLL_MS = 1500;
  const LONGEST_SHOWN = 400;

  const medium = (kind, src) =>
    kind === 'image'
      ? element('img', { src, alt: 'A picture of the answer' })
      : element(kind, { src, controls: true, playsInline: true });
  /** Pictures, films and sounds of an answer, wherever they stand in it. */
  const mediaIn = (json) => {
    const found = new Map();
    const add = (kind, src) => found.size < 6 && found.set(src, medium(kind, src));
    const visit = (value, name) => {
      if (typeof value === 'string') {
        const isLink = /^https?:\/\//.test(value) || value.startsWith('/');
        if (isLink && /\.mp4(\?|$)|\/content(\?|$)/.test(value)) add('video', value);
        else if (isLink && /\.(png|jpe?g|webp)(\?|$)|\/files\//.test(value)) add('image', value);
        else if (name === 'b64_json') add('image', `data:image/png;base64,${value}`);
        else if (name === 'data' && value.startsWith('UklGR')) add('audio', `data:audio/wav;base64,${value}`);
      } else if (Array.isArray(value)) value.forEach((each) => visit(each, name));
      else if (value && typeof value === 'object') {
        const inline = value.inlineData;
        if (inline?.data && /^image\//.test(inline.mimeType))
          add('image', `data:${inline.mimeType};base64,${inline.data}`);
        else for (const [each, inner] of Object.entries(value)) visit(inner, each);
      }
    };
    visit(json, '');
    return [...found.values()];
  };
  const short = (json) =>
    JSON.stringify(
      json,
      (_, value) =>
        typeof value === 'string' && value.length > LONGEST_SHOWN
          ? `${value.slice(0, 160)}… (${value.length} characters)`
          : value,
      2,
    );

  async function show(response, answer) {
    const type = response.headers.get('content-type') ?? '';
    const [kind] = type.split('/');
    if (['image', 'video', 'audio'].includes(kind)) {
      answer.append(medium(kind, URL.createObjectURL(await response.blob())));
      return undefined;
    }
    const pre = element('pre', { tabIndex: 0 });
    answer.append(pre);
    if (type.startsWith('text/event-stream')) {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let step = await reader.read(); !step.done; step = await reader.read()) {
        pre.textContent += step.value;
        pre.scrollTop = pre.scrollHeight;
      }
      return undefined;
    }
    const raw = await response.text();
    try {
      const json = JSON.parse(raw);
      pre.textContent = short(json);
      answer.append(...mediaIn(json));
      return json;
    } catch {
      pre.textContent = raw.slice(0, 200_000);
      return undefined;
    }
  }

  /** State, progress in per cent, whether it has ended, and why it failed: of the three forms that tasks are read in. */
  const read = (json) => {
    if (json.Response) {
      const { Status, CreateAigcAdvancedCustomElementTask: inner } = json.Response;
      return [Status, inner?.Progress ?? 0, /FINISH|ABORTED|FAIL/.test(Status), inner?.Message];
    }
    const { status = '', progress = 0, error, fail_reason: reason } = json.data ?? json;
    return [
      status,
      Number.parseInt(progress, 10),
      /SUCCESS|FAILURE|completed|failed/.test(status),
      reason || error?.message,
    ];
  };
  /** Reads a task until it has ended, and shows what it made. */
  async function wait({ address, id, signal }, answer) {
    const bar = element('progress', { max: 100, value: 0 });
    const words = element('span', { textContent: 'waiting' });
    bar.setAttribute('aria-label', 'Progress of the task');
    const row = element('p', { className: 'try-progress' }, bar, words);
    row.setAttribute('role', 'status');
    answer.append(row);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      signal.throwIfAborted();
      const headers = { authorization: `Bearer ${key('key')}` };
      const response = await fetch(`${base}${address}/${encodeURIComponent(id)}`, { headers, signal });
      const json = await response.json();
      if (!response.ok) throw new Error(json.message ?? json.error?.message ?? String(response.status));
      const [state, progress, hasEnded, fault] = read(json);
      bar.value = progress;
      words.textContent = `${state}, ${progress} %`;
      if (!hasEnded) continue;
      if (fault) words.textContent = `${state}: ${fault}`;
      answer.append(
        ...mediaIn(json.data?.result_url ?? json),
        element(
          'details',
          {},
          element('summary', { textContent: 'The record' }),
          element('pre', { textContent: short(json) }),
        ),
      );
      return;
    }
  }
  Object.assign(window.PORTAL, { show, wait });
})();
