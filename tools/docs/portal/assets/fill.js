// Samples say the address of the gateway that serves this page, and the key and the model that were typed. Typed things stay in this tab.
(() => {
  'use strict';
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
  const served = location.protocol.startsWith('http');
  const base = served ? location.origin + location.pathname.replace(/\/docs(\/.*)?$/, '') : '';
  /** Texts of samples, as they were written. */
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.parentElement.closest('code')) texts.push([node, node.data]);

  const models = () => {
    try {
      return JSON.parse(memory.get('models') || '{}');
    } catch {
      return {};
    }
  };
  const fill = () => {
    const key = memory.get('key');
    const admin = memory.get('admin-key');
    const others = Object.entries(models()).map(([from, to]) => [
      new RegExp(`(?<![\\w.-])${from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-]|\\.\\w)`, 'g'),
      to,
    ]);
    for (const [node, written] of texts) {
      let text = written;
      if (served) text = text.replaceAll('http://127.0.0.1:8080', base);
      if (key) text = text.replaceAll('sk-test-…', key);
      if (admin) text = text.replaceAll('admin-…', admin);
      if (node.parentElement.closest('.tabs')) for (const [from, to] of others) text = text.replace(from, () => to);
      if (node.data !== text) node.data = text;
    }
  };
  /** What forms know: keys by name, and the model that was typed in place of a sample's. */
  window.PORTAL = {
    base,
    served,
    key: (name) => memory.get(name),
    setKey(name, value) {
      memory.set(name, value);
      for (const input of document.querySelectorAll(`input[data-key="${name}"]`))
        if (input.value !== value) input.value = value;
      fill();
      document.dispatchEvent(new CustomEvent('key', { detail: name }));
    },
    model: (written) => models()[written] ?? written,
    setModel(written, typed) {
      const { [written]: _, ...rest } = models();
      memory.set('models', JSON.stringify(typed === '' || typed === written ? rest : { ...rest, [written]: typed }));
      fill();
    },
  };
  document.addEventListener('input', ({ target }) => {
    if (target.dataset?.key) window.PORTAL.setKey(target.dataset.key, target.value.trim());
  });
  for (const input of document.querySelectorAll('input[data-key]')) input.value = memory.get(input.dataset.key);
  document.addEventListener('click', ({ target }) => {
    const open = document.querySelector('details.fill[open]');
    if (open && !open.contains(target)) open.open = false;
  });
  fill();
})();
