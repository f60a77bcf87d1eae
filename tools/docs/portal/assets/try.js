// Trying an operation against the gateway that serves this page. Built when it is opened; a key stays in this tab.
(() => {
  'use strict';
  const served = location.protocol.startsWith('http');
  const here = served ? location.origin + location.pathname.replace(/\/docs(\/.*)?$/, '') : '';
  const memory = {
    get: (name) => {
      try {
        return sessionStorage.getItem(name) ?? '';
      } catch {
        return '';
      }
    },
    set: (name, value) => {
      try {
        sessionStorage.setItem(name, value);
      } catch {
        // Then it lasts as long as the page.
      }
    },
  };
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const labelled = (name, field, note = '') => {
    const label = element('label', {}, element('span', {}, element('code', { textContent: name }), note));
    label.append(field);
    return label;
  };

  for (const box of document.querySelectorAll('details.try')) {
    box.addEventListener('toggle', () => {
      const body = box.querySelector('.try-body');
      if (box.open && body.childElementCount === 0)
        build(box, body, JSON.parse(box.querySelector('script').textContent));
    });
  }

  function build(box, body, operation) {
    const kept = operation.key === 'admin' ? 'admin-key' : 'key';
    const key = element('input', {
      type: 'password',
      autocomplete: 'off',
      placeholder: operation.key === 'admin' ? 'the admin key' : 'sk-test-…',
      value: memory.get(kept),
    });
    const warning = element('p', { className: 'try-note warn', hidden: true });
    const parameters = operation.parameters.map((parameter) => ({
      ...parameter,
      field: element('input', { value: String(parameter.example ?? ''), spellcheck: false }),
    }));
    const text = element('textarea', { spellcheck: false });
    const send = element('button', { type: 'button', className: 'send', textContent: 'Send' });
    const stop = element('button', { type: 'button', className: 'stop', textContent: 'Stop', hidden: true });
    const answer = element('div', { className: 'try-answer' });
    const form = operation.form?.map(({ name, file, value }) => ({
      name,
      file,
      field: element('input', file ? { type: 'file', multiple: name === 'image' } : { value }),
    }));
    let asForm = operation.bodies.length === 0 && form !== undefined;

    if (!served) {
      // A browser lets no page of a folder call an address.
      const place = location.pathname.replace(/^.*?((?:reference\/)?[\w-]+\.html)$/, '$1') + location.hash;
      const home = element('a', {
        href: `http://127.0.0.1:8080/docs/${place}`,
        textContent: 'http://127.0.0.1:8080/docs',
      });
      body.append(
        element(
          'p',
          { className: 'try-note' },
          'This page was opened from a folder, and browsers let such a page call nothing. Start a gateway and try it there: ',
          home,
        ),
      );
      return;
    }
    if (operation.key !== 'none')
      body.append(
        labelled('key', key, operation.key === 'admin' ? '' : ' with a test key the built-in vendor twin answers'),
        warning,
      );
    for (const { name, in: place, required, field } of parameters)
      body.append(labelled(name, field, ` ${place}${required ? '' : ', optional'}`));
    const pickExample = (index) => {
      const example = operation.bodies[index];
      if (example === undefined) return;
      text.value = JSON.stringify(example.value, null, 2);
      for (const { name, in: place, field } of parameters) {
        const value = (place === 'path' ? example.path : example.query)?.[name];
        if (value !== undefined) field.value = String(value);
      }
    };
    if (operation.bodies.length > 0) {
      body.append(labelled('body', text));
      pickExample(Number(box.closest('.side').querySelector('[data-pick]')?.value ?? 0));
      box.closest('.side').addEventListener('picked', (event) => pickExample(event.detail));
    }
    if (form !== undefined) {
      const fields = element('div', { hidden: !asForm }, ...form.map(({ name, field }) => labelled(name, field)));
      if (!asForm) {
        const toggle = element('input', { type: 'checkbox' });
        toggle.addEventListener('change', () => {
          asForm = toggle.checked;
          fields.hidden = !asForm;
          text.parentElement.hidden = asForm;
        });
        body.append(element('label', {}, toggle, ' send as a form, with a file'));
        toggle.style.width = 'auto';
      }
      body.append(fields);
    }
    body.append(element('div', { className: 'try-row' }, send, stop), answer);

    const checkKey = () => {
      memory.set(kept, key.value);
      const live = operation.key === 'key' && key.value !== '' && !key.value.startsWith('sk-test-');
      warning.hidden = !live;
      warning.textContent = live ? 'This is a live key: vendors are asked and the request is charged.' : '';
    };
    key.addEventListener('input', checkKey);
    checkKey();

    send.addEventListener('click', async () => {
      const controller = new AbortController();
      stop.onclick = () => controller.abort();
      send.disabled = true;
      stop.hidden = false;
      answer.replaceChildren();
      try {
        await run(controller.signal);
      } catch (error) {
        const stopped = controller.signal.aborted;
        answer.append(
          element('p', {
            className: 'try-note',
            textContent: stopped ? 'Stopped.' : `Not sent or not readable: ${error.message}`,
          }),
        );
      } finally {
        send.disabled = false;
        stop.hidden = true;
      }
    });

    async function run(signal) {
      let path = operation.path;
      const query = new URLSearchParams();
      const headers = new Headers();
      for (const { name, in: place, field } of parameters) {
        if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(field.value));
        else if (field.value !== '' && place === 'query') query.set(name, field.value);
        else if (field.value !== '') headers.set(name, field.value);
      }
      if (key.value !== '' && operation.key !== 'none') headers.set('authorization', `Bearer ${key.value}`);
      const init = { method: operation.method, headers, signal };
      if (asForm) {
        init.body = new FormData();
        for (const { name, file, field } of form) {
          if (file) for (const each of field.files) init.body.append(name, each);
          else if (field.value !== '') init.body.append(name, field.value);
        }
      } else if (operation.bodies.length > 0) {
        init.body = JSON.stringify(JSON.parse(text.value));
        headers.set('content-type', 'application/json');
      }
      const started = performance.now();
      const search = query.toString();
      const response = await fetch(`${here}${path}${search ? `?${search}` : ''}`, init);
      const head = element('p');
      head.append(
        element('span', { className: `status ${response.ok ? 'ok' : 'bad'}`, textContent: String(response.status) }),
        ` in ${Math.round(performance.now() - started)} ms`,
        ...['x-request-id', 'x-gateway-dropped', 'idempotent-replayed', 'retry-after']
          .filter((name) => response.headers.has(name))
          .map((name) => ` · ${name}: ${response.headers.get(name)}`),
      );
      answer.append(head);
      await show(response);
    }

    async function show(response) {
      const type = response.headers.get('content-type') ?? '';
      if (/^(image|video|audio)\//.test(type)) {
        const url = URL.createObjectURL(await response.blob());
        const [kind] = type.split('/');
        answer.append(
          kind === 'image'
            ? element('img', { src: url, alt: 'The answer' })
            : element(kind, { src: url, controls: true }),
        );
        return;
      }
      const pre = element('pre');
      answer.append(pre);
      if (type.startsWith('text/event-stream')) {
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let step = await reader.read(); !step.done; step = await reader.read()) {
          pre.textContent += step.value;
          pre.scrollTop = pre.scrollHeight;
        }
        return;
      }
      const raw = await response.text();
      try {
        const json = JSON.parse(raw);
        pre.textContent = JSON.stringify(
          json,
          (_, value) =>
            typeof value === 'string' && value.length > 400
              ? `${value.slice(0, 160)}… (${value.length} characters)`
              : value,
          2,
        );
        for (const medium of mediaIn(json)) answer.append(medium);
        offerNext(json);
      } catch {
        pre.textContent = raw.slice(0, 200_000);
      }
    }

    // A task that was started here is what one wants to read next.
    function offerNext(json) {
      const id = json?.task_id ?? json?.id ?? json?.Response?.TaskId;
      if (operation.method !== 'POST' || typeof id !== 'string') return;
      for (const script of document.querySelectorAll('details.try script')) {
        const other = JSON.parse(script.textContent);
        const name = /\{(task_id|video_id)\}/.exec(other.path)?.[1];
        if (name === undefined || !other.path.startsWith(operation.path)) continue;
        for (const parameter of other.parameters) if (parameter.name === name) parameter.example = id;
        script.textContent = JSON.stringify(other).replace(/</g, '\\u003c');
        const built = script.parentElement.querySelectorAll('.try-body label');
        for (const label of built)
          if (label.querySelector('code').textContent === name) label.querySelector('input').value = id;
      }
      answer.append(
        element('p', { className: 'try-note', textContent: `${id} is filled in where this task can be read.` }),
      );
    }
  }

  /** Pictures, films and sounds of an answer, wherever they stand in it. */
  function mediaIn(json) {
    const found = [];
    const seen = new Set();
    const visit = (value, name) => {
      if (found.length >= 6) return;
      if (typeof value === 'string') {
        if (seen.has(value)) return;
        seen.add(value);
        const link = /^https?:\/\//.test(value) || value.startsWith('/');
        if (link && /\.mp4(\?|$)/.test(value))
          found.push(element('video', { src: value, controls: true, playsInline: true }));
        else if (link && /\.(png|jpe?g|webp)(\?|$)|\/files\//.test(value))
          found.push(element('img', { src: value, alt: 'A picture of the answer' }));
        else if (name === 'b64_json')
          found.push(element('img', { src: `data:image/png;base64,${value}`, alt: 'A picture of the answer' }));
        else if (name === 'data' && value.startsWith('UklGR'))
          found.push(element('audio', { src: `data:audio/wav;base64,${value}`, controls: true }));
      } else if (Array.isArray(value)) value.forEach((each) => visit(each, name));
      else if (value && typeof value === 'object') {
        const inline = value.inlineData;
        if (inline?.data && /^image\//.test(inline.mimeType))
          found.push(
            element('img', { src: `data:${inline.mimeType};base64,${inline.data}`, alt: 'A picture of the answer' }),
          );
        else for (const [key, each] of Object.entries(value)) visit(each, key);
      }
    };
    visit(json, '');
    return found;
  }
})();
