// The page's own behaviour: menu, theme, tabs, copy, where one is.
(() => {
  'use strict';
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const store = {
    get: (name) => {
      try {
        return localStorage.getItem(name);
      } catch {
        return null;
      }
    },
    set: (name, value) => {
      try {
        localStorage.setItem(name, value);
      } catch {
        // Without storage the choice lasts as long as the page.
      }
    },
  };

  // ---- menu and theme
  const menu = $('.menu');
  const setMenu = (open) => {
    document.body.classList.toggle('nav-open', open);
    menu.setAttribute('aria-expanded', String(open));
  };
  menu.addEventListener('click', () => setMenu(!document.body.classList.contains('nav-open')));
  $('#nav').addEventListener('click', (event) => {
    if (event.target.closest('a')) setMenu(false);
  });
  $('.theme').addEventListener('click', () => {
    const now = document.documentElement.dataset.theme;
    const dark = now ? now === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = dark ? 'light' : 'dark';
    store.set('theme', dark ? 'light' : 'dark');
  });
  $('nav [aria-current]')?.scrollIntoView({ block: 'center' });
  window.scrollTo({ top: location.hash === '' ? 0 : window.scrollY });

  // ---- tabs: what is chosen once is chosen everywhere
  const chooseTab = (name) => {
    for (const tabs of $$('.tabs')) {
      const buttons = $$('[role=tab]', tabs);
      const names = buttons.map((button) => button.dataset.tab);
      // `Python` where it is the only one, `Python, openai` where each SDK has its own.
      const python = name.startsWith('Python') ? names.find((each) => each.startsWith('Python')) : undefined;
      const chosen = names.includes(name) ? name : python;
      if (chosen === undefined) continue;
      for (const button of buttons) button.setAttribute('aria-selected', String(button.dataset.tab === chosen));
      for (const panel of $$('[role=tabpanel]', tabs)) panel.hidden = panel.dataset.tab !== chosen;
    }
  };
  document.addEventListener('click', (event) => {
    const tab = event.target.closest('[role=tab]');
    if (tab) {
      const before = tab.getBoundingClientRect().top;
      chooseTab(tab.dataset.tab);
      store.set('tab', tab.dataset.tab);
      // Blocks above may have grown or shrunk: what was clicked stays where it is.
      window.scrollBy(0, tab.getBoundingClientRect().top - before);
    }
    const copy = event.target.closest('.copy');
    if (copy) copyCode(copy);
  });
  const remembered = store.get('tab');
  if (remembered) chooseTab(remembered);
  for (const row of $$('.tab-row')) {
    row.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const buttons = $$('[role=tab]', row);
      const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
      next.focus();
      next.click();
    });
  }
  const copyCode = (button) => copyText($('code', button.parentElement).textContent, button);
  const copyText = async (text, button) => {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = label), 1500);
  };
  // A page that was opened from a folder can fetch nothing: its link beside the button still leads there.
  const copyPage = $('.copy-page');
  if (location.protocol.startsWith('http'))
    copyPage.addEventListener('click', async () => {
      const response = await fetch(copyPage.dataset.page);
      await copyText(await response.text(), copyPage);
    });
  else copyPage.hidden = true;

  // ---- a field that is linked to lies in parts that are closed
  const openTo = () => {
    let place = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    const found = place;
    for (; place; place = place.parentElement) if (place.tagName === 'DETAILS') place.open = true;
    found?.scrollIntoView();
  };
  addEventListener('hashchange', openTo);
  openTo();

  for (const pick of $$('[data-pick]')) {
    pick.addEventListener('change', () => {
      const examples = pick.closest('.examples');
      for (const panel of $$('[data-example]', examples)) panel.hidden = panel.dataset.example !== pick.value;
      examples.dispatchEvent(new CustomEvent('picked', { bubbles: true, detail: Number(pick.value) }));
    });
  }

  // ---- where one is
  const links = new Map($$('.toc a, nav ul ul a').map((link) => [link.hash.slice(1), link]));
  const marks = $$('h2[id], h3[id], section.operation').filter(({ id }) => links.has(id));
  const mark = () => {
    let near = marks[0];
    for (const each of marks) if (each.getBoundingClientRect().top < 130) near = each;
    for (const link of links.values()) link.classList.toggle('near', link === links.get(near?.id));
  };
  if (marks.length > 0) {
    let waiting = false;
    addEventListener(
      'scroll',
      () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          mark();
        });
      },
      { passive: true },
    );
    mark();
  }
})();
