// Trying an operation against the gateway that serves this page. Built when it is opened; a key stays in this tab.
(() => {
  'use strict';
  const {
    base,
    served,
    key: keyOf,
    element,
    labelled,
    makeForm,
    plainField,
    model,
    setModel,
    show,
    wait,
  } = window.PORTAL;
  const SHOWN_HEADERS = ['x-request-id', 'x-gateway-dropped', 'x-gateway-route', 'idempotent-replayed', 'retry-after'];
  const TYPING_MS = 600;

  for (const box of document.querySelectorAll('details.try'))
    box.addEventListener('toggle', () => {
      const body = box.querySelector('.try-body');
      if (box.open && body.childElementCount === 0)
        build(box, body, JSON.parse(box.querySelector('script').textContent));
    });

  /** Codes that the typed key may use, for the field of the model. */
  const models = () => {
    let list = document.querySelector('#models');
    if (list) return list.id;
    list = element('datalist', { id: 'models' });
    document.body.append(list);
    const load = async () => {
      if (keyOf('key') === '') return;
      const response = await fetch(`${base}/v1/models`, { headers: { authorization: `Bearer ${keyOf('key')}` } });
      if (!response.ok) return;
      const { data } = await response.json();
      list.replaceChildren(...data.map(({ id }) => element('option', { value: id })));
    };
    const quietly = () => void load().catch(() => undefined);
    // A key that is being typed is a wrong key with each letter, and too many of those are refused.
    let pause;
    document.addEventListener('key', () => {
      clearTimeout(pause);
      pause = setTimeout(quietly, TYPING_MS);
    });
    quietly();
    return list.id;
  };

  /** Asks before something of the gateway's own is changed. */
  const confirmed = (operation, path) =>
    new Promise((resolve) => {
      const dialog = element('dialog', { className: 'ask' });
      const answer = (label, value, className) => {
        const button = element('button', { type: 'button', textContent: label, className });
        button.addEventListener('click', () => {
          dialog.returnValue = value;
          dialog.close(value);
        });
        return button;
      };
      dialog.append(
        element('p', {}, element('b', { textContent: 'This changes the gateway that serves this page.' })),
        element('p', {}, element('code', { textContent: `${operation.method} ${path}` })),
        element(
          'div',
          { className: 'try-row' },
          answer('Send it', 'yes', 'send'),
          answer('Do not', '', 'quiet-button'),
        ),
      );
      dialog.addEventListener('close', () => {
        dialog.remove();
        resolve(dialog.returnValue === 'yes');
      });
      document.body.append(dialog);
      dialog.showModal();
    });

  function notServed(body) {
    // A browser lets no page of a folder call an address.
    const place = location.pathname.replace(/^.*?((?:reference\/)?[\w-]+\.html)$/, '$1') + location.hash;
    const href = `http://127.0.0.1:8080/docs/${place}`;
    const home = element('a', { href, textContent: 'http://127.0.0.1:8080/docs' });
    const text =
      'This page was opened from a folder, and browsers let such a page call nothing. Start a gateway and try it there: ';
    body.append(element('p', { className: 'try-note' }, text, home));
  }

  function keyRow(operation) {
    const kept = operation.key === 'admin' ? 'admin-key' : 'key';
    const placeholder = operation.key === 'admin' ? 'the admin key' : 'sk-test-…';
    const key = element('input', { type: 'password', autocomplete: 'off', placeholder, value: keyOf(kept) });
    key.dataset.key = kept;
    const warning = element('p', { className: 'try-note warn', hidden: true });
    const check = () => {
      const isLive = kept === 'key' && key.value !== '' && !key.value.startsWith('sk-test-');
      warning.hidden = !isLive;
      if (key.value !== '') key.setAttribute('aria-invalid', 'false');
      warning.textContent = isLive ? 'This is a live key: vendors are asked and the request is charged.' : '';
    };
    document.addEventListener('key', check);
    check();
    /** Whether there is a key to send; where there is none, its field is what one sees and types into next. */
    const isThere = () => {
      const found = keyOf(kept) !== '';
      key.setAttribute('aria-invalid', String(!found));
      if (found) return true;
      warning.hidden = false;
      warning.textContent =
        kept === 'key'
          ? 'Type a key first. On the machine of the gateway, “gateway keys create --test” makes one that costs nothing.'
          : 'Type the admin key first: the gateway printed it when it was first started.';
      key.scrollIntoView({ block: 'center' });
      key.focus();
      return false;
    };
    return {
      kept,
      isThere,
      rows: [labelled('key', key, kept === 'key' ? 'with a test key the built-in vendor twin answers' : ''), warning],
    };
  }

  function build(box, body, operation) {
    if (!served) return notServed(body);
    const { kept, rows, isThere } = keyRow(operation);
    const parameters = operation.parameters.map((parameter) => ({
      ...parameter,
      field: plainField(parameter.options, String(parameter.example ?? '')),
    }));
    let written = '';
    const json =
      operation.bodies.length > 0 ? makeForm({ models, onModel: (typed) => setModel(written, typed) }) : undefined;
    const form = operation.form?.map(({ name, file, options, value }) => ({
      name,
      file,
      field: file ? element('input', { type: 'file', multiple: name === 'image' }) : plainField(options, value),
    }));
    let asForm = json === undefined && form !== undefined;
    const send = element('button', { type: 'button', className: 'send', textContent: 'Send' });
    const stop = element('button', { type: 'button', className: 'stop', textContent: 'Stop', hidden: true });
    const answer = element('div', { className: 'try-answer' });
    answer.setAttribute('aria-live', 'polite');

    if (operation.key !== 'none') body.append(...rows);
    for (const { name, in: place, required, field } of parameters) {
      if (name === 'model') {
        field.setAttribute('list', models());
        const before = field.value;
        field.value = model(before);
        field.addEventListener('input', () => setModel(before, field.value));
      }
      body.append(labelled(name, field, `${place}${required ? ', required' : ''}`));
    }
    if (json !== undefined) {
      const pick = (index) => {
        const example = operation.bodies[index];
        if (example === undefined) return;
        written = example.value.model ?? '';
        json.show({ ...example.value, ...(written && { model: model(written) }) }, operation.fields[example.fields]);
        for (const { name, in: place, field } of parameters) {
          const value = (place === 'path' ? example.path : example.query)?.[name];
          if (value !== undefined) field.value = name === 'model' ? model(String(value)) : String(value);
        }
      };
      body.append(json.node);
      const side = box.closest('.side');
      pick(Number(side.querySelector('[data-pick]')?.value ?? 0));
      side.addEventListener('picked', (event) => pick(event.detail));
    }
    if (form !== undefined) {
      const fields = element('div', { hidden: !asForm }, ...form.map(({ name, field }) => labelled(name, field)));
      if (!asForm) {
        const toggle = element('input', { type: 'checkbox' });
        toggle.addEventListener('change', () => {
          asForm = toggle.checked;
          fields.hidden = !asForm;
          json.node.hidden = asForm;
        });
        body.append(element('label', { className: 'check' }, toggle, ' send as a form, with a file'));
      }
      body.append(fields);
    }
    body.append(element('div', { className: 'try-row' }, send, stop), answer);

    send.addEventListener('click', async () => {
      if (operation.key !== 'none' && !isThere()) return;
      const controller = new AbortController();
      stop.onclick = () => controller.abort();
      send.disabled = true;
      stop.hidden = false;
      answer.replaceChildren();
      try {
        await run(controller.signal);
      } catch (error) {
        const textContent = controller.signal.aborted ? 'Stopped.' : `Not sent or not readable: ${error.message}`;
        answer.append(element('p', { className: 'try-note', textContent }));
      } finally {
        send.disabled = false;
        stop.hidden = true;
      }
    });

    function request(signal) {
      let path = operation.path;
      const query = new URLSearchParams();
      const headers = new Headers();
      for (const { name, in: place, field } of parameters) {
        if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(field.value));
        else if (field.value !== '' && place === 'query') query.set(name, field.value);
        else if (field.value !== '') headers.set(name, field.value);
      }
      if (keyOf(kept) !== '' && operation.key !== 'none') headers.set('authorization', `Bearer ${keyOf(kept)}`);
      const init = { method: operation.method, headers, signal };
      if (asForm) {
        init.body = new FormData();
        for (const { name, file, field } of form) {
          if (file) for (const each of field.files) init.body.append(name, each);
          else if (field.value !== '') init.body.append(name, field.value);
        }
      } else if (json !== undefined) {
        init.body = JSON.stringify(json.value());
        headers.set('content-type', 'application/json');
      }
      const search = query.toString();
      return { path: search ? `${path}?${search}` : path, init };
    }

    async function run(signal) {
      const { path, init } = request(signal);
      if (operation.key === 'admin' && operation.method !== 'GET' && !(await confirmed(operation, path))) {
        answer.append(element('p', { className: 'try-note', textContent: 'Not sent.' }));
        return;
      }
      const started = performance.now();
      const response = await fetch(base + path, init);
      const status = element('span', {
        className: `status ${response.ok ? 'ok' : 'bad'}`,
        textContent: String(response.status),
      });
      const named = SHOWN_HEADERS.filter((name) => response.headers.has(name));
      answer.append(
        element(
          'p',
          {},
          status,
          ` in ${Math.round(performance.now() - started)} ms`,
          ...named.map((name) => ` · ${name}: ${response.headers.get(name)}`),
        ),
      );
      const result = await show(response, answer);
      const id = result?.task_id ?? result?.id ?? result?.Response?.TaskId;
      if (!response.ok || operation.method !== 'POST' || typeof id !== 'string') return;
      offerNext(id);
      const { waits, path: address } = operation;
      if (waits) await wait({ address, id, signal }, answer);
    }

    // A task that was started here is what one wants to read next.
    function offerNext(id) {
      let found = false;
      for (const script of document.querySelectorAll('details.try script')) {
        const other = JSON.parse(script.textContent);
        const name = /\{(task_id|video_id)\}/.exec(other.path)?.[1];
        if (name === undefined || !other.path.startsWith(operation.path)) continue;
        found = true;
        for (const parameter of other.parameters) if (parameter.name === name) parameter.example = id;
        script.textContent = JSON.stringify(other).replace(/</g, '\\u003c');
        for (const label of script.parentElement.querySelectorAll('.try-body label'))
          if (label.querySelector('code')?.textContent === name) label.querySelector('input').value = id;
      }
      const textContent = `${id} is filled in where this task can be read.`;
      if (found) answer.append(element('p', { className: 'try-note', textContent }));
    }
  }
})();
