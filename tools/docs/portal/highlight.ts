/** Colours for code: one pass of a regular expression per language, everything escaped. */
import { escape } from './html.ts';

const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/;
const NUMBER = /\b\d[\d_]*(?:\.\d+)?\b/;
const script = rules({
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
  string: STRING,
  keyword:
    /\b(?:import|from|export|default|const|let|for|of|in|if|else|await|async|new|return|try|catch|throw|function|class|instanceof|typeof|while|break|type|interface)\b/,
  literal: /\b(?:true|false|null|undefined)\b/,
  number: NUMBER,
});
const sh = rules({
  comment: /(?<=^|\s)#[^\n]*/,
  string: /"(?:\\.|[^"\\])*"|'[^']*'/,
  keyword: /(?<=^|[|;&(]\s*)(?:curl|npm|npx|node|export|cd|git|docker|kill|openssl|printf)\b/,
  key: /(?<=\s)-{1,2}[a-zA-Z][\w-]*/,
});
const LANGUAGES: Readonly<Record<string, RegExp>> = {
  json: rules({
    key: /"(?:\\.|[^"\\])*"(?=\s*:)/,
    string: /"(?:\\.|[^"\\])*"/,
    literal: /\b(?:true|false|null)\b/,
    number: /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/,
  }),
  ts: script,
  js: script,
  typescript: script,
  javascript: script,
  python: rules({
    comment: /#[^\n]*/,
    string: STRING,
    keyword: /\b(?:import|from|as|for|in|if|else|with|def|return|try|except|raise|class|print|await|async|while)\b/,
    literal: /\b(?:True|False|None)\b/,
    number: NUMBER,
  }),
  sh,
  bash: sh,
  yaml: rules({
    comment: /(?<=^|\s)#[^\n]*/,
    key: /(?<=^|[\s{,-])[A-Za-z_][\w.-]*(?=:(?:\s|$))/,
    string: /"(?:\\.|[^"\\])*"|'[^']*'/,
    literal: /\b(?:true|false|null)\b/,
    number: NUMBER,
  }),
  http: rules({ keyword: /^(?:GET|POST|PUT|PATCH|DELETE)\b|^HTTP\/\S+ \d+/, key: /^[\w-]+(?=:)/ }),
};

function rules(named: Readonly<Record<string, RegExp>>): RegExp {
  return new RegExp(
    Object.entries(named)
      .map(([name, { source }]) => `(?<${name}>${source})`)
      .join('|'),
    'gm',
  );
}

/** Code as HTML; an unknown language is only escaped. */
export function highlight(code: string, language: string): string {
  const pattern = LANGUAGES[language];
  if (pattern === undefined) return escape(code);
  let html = '';
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    const groups: Readonly<Record<string, string | undefined>> = match.groups ?? {};
    const kind = Object.entries(groups).find(([, text]) => text !== undefined)?.[0];
    html += escape(code.slice(at, match.index)) + `<i class="h-${kind ?? 'plain'}">${escape(match[0])}</i>`;
    at = match.index + match[0].length;
  }
  return html + escape(code.slice(at));
}
