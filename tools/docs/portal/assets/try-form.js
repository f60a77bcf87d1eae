// The form of a JSON body: fields from its schema, filled from an example, with the raw text beside it. Both show one value.
(() => {
  'use strict';
  const MOST_LEAVES = 12;
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const labelled = (name, field, note = '') => {
    const head = element('span', {}, element('code', { textContent: name }), note === '' ? '' : ` ${note}`);
    return element('label', {}, head, field);
  };

  const at = (value, path) => path.reduce((inner, name) => inner?.[name], value);
  const put = (value, path, what) => {
    const place = at(value, path.slice(0, -1));
    const name = path.at(-1);
    if (what === undefined && Array.isArray(place)) place[name] = null;
    else if (what === undefined) delete place[name];
    else place[name] = what;
  };
  /** `messages[0].content` */
  const pathText = (path) =>
    path.map((name, index) => (typeof name === 'number' ? `[${name}]` : index === 0 ? name : `.${name}`)).join('');
  /** Texts, numbers and switches within a value, by their paths. */
  const leavesOf = (value, path) => {
    if (typeof value !== 'object' || value === null) return [path];
    const entries = Array.isArray(value) ? value.map((each, index) => [index, each]) : Object.entries(value);
    return entries.flatMap(([name, each]) => leavesOf(each, [...path, name]));
  };

  const control = (type, value, options) => {
    if (type === 'choice' || type === 'boolean') {
      const all = type === 'boolean' ? [true, false] : options;
      const known = value === undefined || all.includes(value) ? all : [value, ...all];
      const select = element('select', {}, element('option', { value: '', textContent: '—' }));
      for (const each of known)
        select.append(element('option', { value: JSON.stringify(each), textContent: String(each) }));
      select.value = value === undefined ? '' : JSON.stringify(value);
      return select;
    }
    if (type === 'long' || type === 'json') return element('textarea', { spellcheck: false, rows: 3, className: type });
    return element('input', { type: 'text', inputMode: type === 'number' ? 'decimal' : 'text', spellcheck: false });
  };
  /** A parameter or a part of a form: a list to choose from where there is one. What is sent is its `value`, empty for none. */
  const plainField = (options, value) => {
    if (options === undefined) return element('input', { value, spellcheck: false });
    const known = value === '' || options.includes(value) ? options : [value, ...options];
    const select = element('select', {}, element('option', { value: '', textContent: '—' }));
    for (const each of known) select.append(element('option', { value: String(each), textContent: String(each) }));
    select.value = value;
    return select;
  };
  const written = (type, value) => {
    if (value === undefined) return '';
    return type === 'json' || typeof value !== 'string' ? JSON.stringify(value) : value;
  };
  /** What a control says; throws where it is not JSON. */
  const read = (type, field, before) => {
    if (field.value === '') return undefined;
    if (type === 'choice' || type === 'boolean' || type === 'json') return JSON.parse(field.value);
    if (type === 'number' && field.value.trim() !== '' && !Number.isNaN(Number(field.value)))
      return Number(field.value);
    // A union that held a list or an object goes on as JSON.
    return typeof before === 'object' ? JSON.parse(field.value) : field.value;
  };

  /** Builds it. `value()` is the body, or throws with the place that is wrong; `show(example)` begins anew. */
  window.PORTAL.makeForm = ({ onModel, models }) => {
    let body = {};
    let fields = [];
    let isRaw = false;
    const wrong = new Map();
    const form = element('div', { className: 'form' });
    const text = element('textarea', { spellcheck: false, className: 'raw', hidden: true });
    text.setAttribute('aria-label', 'The body as JSON');
    const views = ['Form', 'Raw JSON'].map((name) => element('button', { type: 'button', textContent: name }));
    const switcher = element('div', { className: 'tab-row' }, ...views);

    const row = (name, path, { type, options, required, about = '' }) => {
      const before = at(body, path);
      const field = control(type, before, options);
      if (field.tagName !== 'SELECT') field.value = written(type, before);
      if (name === 'model') field.setAttribute('list', models());
      field.addEventListener('input', () => {
        try {
          put(body, path, read(type, field, before));
          wrong.delete(name);
          field.setAttribute('aria-invalid', 'false');
        } catch {
          wrong.set(name, `${name} is not JSON`);
          field.setAttribute('aria-invalid', 'true');
        }
        if (name === 'model') onModel(field.value);
      });
      const label = labelled(name, field, required ? 'required' : '');
      label.title = about;
      return label;
    };
    const rowsOf = (field) => {
      const value = body[field.name];
      if (field.type !== 'json' || typeof value !== 'object' || value === null)
        return [row(field.name, [field.name], field)];
      const leaves = leavesOf(value, [field.name]);
      if (leaves.length > MOST_LEAVES) return [row(field.name, [field.name], field)];
      return leaves.map((path) => {
        const leaf = at(body, path);
        const options = field.parts?.[pathText(path).replace(/\[\d+\]/g, '[]')];
        if (options) return row(pathText(path), path, { ...field, type: 'choice', options });
        const type = typeof leaf === 'boolean' ? 'boolean' : typeof leaf === 'number' ? 'number' : 'text';
        const isLong = type === 'text' && /^(text|content|prompt)$/.test(String(path.at(-1)));
        return row(pathText(path), path, { ...field, type: isLong ? 'long' : type });
      });
    };
    const draw = () => {
      wrong.clear();
      const has = (field) => field.required || body[field.name] !== undefined;
      const unknown = Object.keys(body)
        .filter((name) => !fields.some((field) => field.name === name))
        .map((name) => ({ name, type: 'json' }));
      const rest = fields.filter((field) => !has(field));
      form.replaceChildren(...[...fields.filter(has), ...unknown].flatMap(rowsOf));
      if (rest.length > 0) {
        const more = element(
          'details',
          { className: 'more' },
          element('summary', { textContent: `${rest.length} more fields` }),
        );
        // Made when somebody looks: some bodies have forty.
        more.addEventListener('toggle', () => {
          if (more.open && more.childElementCount === 1) more.append(...rest.flatMap(rowsOf));
        });
        form.append(more);
      }
    };
    const choose = (raw) => {
      if (raw && !isRaw) text.value = JSON.stringify(body, null, 2);
      if (!raw && isRaw) {
        try {
          body = JSON.parse(text.value);
        } catch {
          text.setAttribute('aria-invalid', 'true');
          return;
        }
        draw();
      }
      text.setAttribute('aria-invalid', 'false');
      isRaw = raw;
      form.hidden = raw;
      text.hidden = !raw;
      for (const [index, view] of views.entries()) view.setAttribute('aria-pressed', String(raw === (index === 1)));
    };
    for (const [index, view] of views.entries()) view.addEventListener('click', () => choose(index === 1));
    choose(false);

    return {
      node: element('div', {}, switcher, form, text),
      show(example, given) {
        body = structuredClone(example);
        fields = given;
        text.value = JSON.stringify(body, null, 2);
        draw();
      },
      value() {
        if (isRaw) return JSON.parse(text.value);
        const [fault] = wrong.values();
        if (fault) throw new Error(fault);
        return body;
      },
    };
  };
  Object.assign(window.PORTAL, { element, labelled, plainField });
})();
