/** A browser as far as cookies and redirects go. */

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly path: string;
  readonly text: string;
}

export interface Browser {
  /** Asks without following a redirect. */
  ask(url: string, init?: RequestInit): Promise<Response>;
  /** Goes there, and on where redirects lead, until one leads to an address of which `until` says that it is the end; gives the last answer and its address. */
  go(url: string, until?: (url: URL) => boolean): Promise<{ readonly reply: Response; readonly url: URL }>;
  /** The whole `set-cookie` of a cookie that is kept. */
  cookie(name: string): string | undefined;
  /** Forgets one. */
  forget(name: string): void;
  readonly cookies: Map<string, Cookie>;
}

const MOST_REDIRECTS = 12;

/** Opens one without cookies. */
export function openBrowser(): Browser {
  const cookies = new Map<string, Cookie>();
  const keep = (text: string, url: URL): void => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    const path = /;\s*path=([^;]+)/i.exec(text)?.[1] ?? '/';
    const key = `${url.hostname} ${name}`;
    if (/max-age=0|expires=thu, 01 jan 1970/i.test(text)) cookies.delete(key);
    else cookies.set(key, { name, value, host: url.hostname, path, text });
  };
  const ask = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(address);
    const sent = [...cookies.values()]
      .filter(({ host, path }) => host === url.hostname && url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const headers = new Headers(init.headers);
    if (sent !== '') headers.set('cookie', sent);
    const reply = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const text of reply.headers.getSetCookie()) keep(text, url);
    return reply;
  };
  return {
    ask,
    cookies,
    async go(address, until = () => false) {
      let url = new URL(address);
      for (let count = 0; count < MOST_REDIRECTS; count += 1) {
        const reply = await ask(url.href);
        const location = reply.headers.get('location');
        if (location === null) return { reply, url };
        await reply.body?.cancel();
        url = new URL(location, url);
        if (until(url)) return { reply, url };
      }
      throw new Error(`redirects never end: ${url.href}`);
    },
    cookie: (name) => [...cookies.values()].find((each) => each.name === name)?.text,
    forget(name) {
      for (const [key, cookie] of cookies) if (cookie.name === name) cookies.delete(key);
    },
  };
}
