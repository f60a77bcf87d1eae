// What the search finds, and in which order: MiniSearch over the rows of search-index.js. It knows no page, so that a test can ask it.
(() => {
  'use strict';
  const MOST_ALIKE = 3;
  /** Pages explain; a field is the answer where somebody types its name. */
  const WEIGHT = { page: 2, operation: 1.4, field: 0.4, error: 1.2, model: 1.3 };
  /** A page by its own title goes ahead of parts of other pages. */
  const WHOLE_PAGE = 1.3;
  const EXACT_TITLE = 3;
  /** What readers call it, and what it is called here. Whole words, one way. */
  const SYNONYMS = {
    'add a model': ['add a server', 'configuration offers'],
    'add a vendor': ['add a server'],
    'add an account': ['add a server'],
    admin: ['console', 'operations'],
    'api key': ['limits of a key', 'keys limits', 'keys create'],
    autoscaling: ['deploy'],
    azure: ['configuration vendors'],
    balance: ['money'],
    bedrock: ['configuration vendors'],
    billing: ['money'],
    budget: ['spend cap', 'limits'],
    cli: ['commands'],
    completion: ['chat'],
    'config file': ['configuration'],
    container: ['deploy docker'],
    cost: ['money', 'price'],
    dashboard: ['console'],
    'env vars': ['settings'],
    'environment variables': ['settings'],
    failover: ['fallbacks'],
    fallback: ['fallbacks'],
    'fault injection': ['test without a vendor faults', 'test mode cause a fault'],
    'function calling': ['tools chat'],
    'getting started': ['quick start'],
    helm: ['deploy kubernetes'],
    install: ['quick start', 'deploy'],
    k8s: ['kubernetes'],
    kubernetes: ['deploy'],
    'load balancing': ['strategies'],
    login: ['console sign in'],
    logs: ['observability log'],
    metrics: ['observability'],
    mock: ['test without a vendor'],
    ollama: ['local model servers'],
    opentelemetry: ['observability'],
    pii: ['guardrails personal'],
    postgres: ['postgresql'],
    price: ['catalogue', 'money'],
    pricing: ['catalogue', 'money'],
    'rate limit': ['limits requests per minute'],
    retries: ['trying again'],
    retry: ['trying again'],
    'speech to text': ['transcription'],
    'spending limit': ['limits'],
    sse: ['streaming'],
    sso: ['single sign-on', 'identity provider'],
    'sticky sessions': ['affinity'],
    stt: ['transcription'],
    'structured output': ['json schema chat'],
    'text to speech': ['speech'],
    'tool calling': ['tools chat'],
    tracing: ['observability'],
    tts: ['speech'],
    upgrade: ['operations new version'],
    vectors: ['embeddings'],
    'virtual key': ['limits of a key', 'keys'],
    'virtual keys': ['limits of a key', 'keys'],
    vllm: ['local model servers'],
    vscode: ['continue cline'],
    'vs code': ['continue cline'],
    webhook: ['webhooks'],
    whisper: ['transcription'],
  };

  /** Whole words and their parts: `task_not_exist`, `task`, `not`, `exist`; `createVideoTask`, `create`, `video`, `task`. */
  const tokenize = (text) =>
    text.split(/[^\p{L}\p{N}_.-]+/u).flatMap((word) => {
      const parts = word.split(/[_.-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
      return parts.length > 1 ? [word, ...parts] : [word];
    });
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean).join(' ');
  const OPTIONS = {
    boost: { title: 5, place: 1.5 },
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 3 ? 0.25 : false),
    tokenize: (text) => text.split(/[^\p{L}\p{N}_.-]+/u).filter(Boolean),
  };

  /** The question in the words of the documents: each of its phrases that has a synonym, replaced. */
  const inOurWords = (asked) =>
    Object.entries(SYNONYMS).flatMap(([phrase, ours]) => {
      const text = ` ${words(asked)} `;
      return text.includes(` ${phrase} `) ? ours.map((each) => text.replace(` ${phrase} `, ` ${each} `).trim()) : [];
    });

  /** A field of the same name in thirty operations takes the place of three. */
  const few = (found) => {
    const counts = new Map();
    return found.filter(({ kind, title }) => {
      const count = (counts.get(`${kind} ${title}`) ?? 0) + 1;
      counts.set(`${kind} ${title}`, count);
      return count <= MOST_ALIKE;
    });
  };

  /** Gives the search over rows of `[kind, to, title, place, text]`: the best first. */
  window.createSearch = (MiniSearch, rows) => {
    const made = new MiniSearch({
      fields: ['title', 'place', 'text'],
      storeFields: ['kind', 'to', 'title', 'place'],
      tokenize,
    });
    made.addAll(rows.map(([kind, to, title, place, text], id) => ({ id, kind, to, title, place, text })));
    return (asked) => {
      const sought = [asked, ...inOurWords(asked)].map(words);
      const options = {
        ...OPTIONS,
        boostDocument: (_id, _term, { kind, to, title }) =>
          WEIGHT[kind] *
          (kind === 'page' && !to.includes('#') ? WHOLE_PAGE : 1) *
          (sought.includes(words(title)) ? EXACT_TITLE : 1),
      };
      const queries = sought.map((each) => ({ queries: [each], combineWith: 'AND', ...options }));
      const all = made.search({ combineWith: 'OR', queries }, options);
      return few(all.length > 0 ? all : made.search(asked, options));
    };
  };
})();
