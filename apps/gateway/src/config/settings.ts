/** What each setting of the configuration file means: read by the JSON Schema and the guide page that are made of the file's schema. */

import { MCP_SETTINGS } from './mcp.ts';
import { SINGLE_SIGN_ON_SETTINGS } from './single-sign-on-settings.ts';

export interface Setting {
  /** One sentence without its full stop, or a few words. */
  readonly about: string;
  /** What is taken where nothing is written; a word where that follows from something else. */
  readonly default?: string | number | boolean;
  readonly unit?:
    | 'bytes'
    | 'characters'
    | 'milliseconds'
    | 'seconds'
    | 'hours'
    | 'tokens'
    | 'US dollars'
    | 'US dollars per million tokens'
    | 'factor';
}

const PER_MILLION = 'US dollars per million tokens';
const timeouts = (path: string, usual: readonly [string | number, string | number, string | number]) => ({
  [`${path}.connect`]: { about: 'until the connection stands', default: usual[0], unit: 'seconds' },
  [`${path}.first_byte`]: {
    about:
      'until the answer begins, of pictures, speech and transcripts, too, which have 300, 180 and 600 unless it is said',
    default: usual[1],
    unit: 'seconds',
  },
  [`${path}.idle`]: { about: 'between two pieces of an answer', default: usual[2], unit: 'seconds' },
});

const budgets = (path: string, whose: string): Readonly<Record<string, Setting>> => ({
  [`${path}.requests_per_minute`]: { about: `requests of ${whose} in any minute`, default: 'no bound' },
  [`${path}.tokens_per_minute`]: {
    about: 'tokens read and written in any minute',
    default: 'no bound',
    unit: 'tokens',
  },
  [`${path}.dollars_per_minute`]: { about: 'by the catalogue’s prices', default: 'no bound', unit: 'US dollars' },
  [`${path}.requests_per_day`]: { about: `requests of ${whose} on a UTC day`, default: 'no bound' },
  [`${path}.tokens_per_day`]: { about: 'tokens read and written on a UTC day', default: 'no bound', unit: 'tokens' },
  [`${path}.dollars_per_day`]: { about: 'by the catalogue’s prices', default: 'no bound', unit: 'US dollars' },
});

/** By the path of the setting: `[]` is any item of a list, `*` any name. */
export const SETTINGS: Readonly<Record<string, Setting>> = {
  extends: { about: 'what lies beneath the file: the built-in catalogue, or nothing', default: 'builtin' },
  'config.source': {
    about:
      '`database`: models and accounts can be edited while the gateway runs, and what is edited is kept in the database, over this file; `file` locks them for configurations that are kept in version control; `GATEWAY_CONFIG_SOURCE` goes before it',
    default: 'database',
  },
  'remove.models': { about: 'codes of built-in models that are not wanted; `*` stands for any characters' },
  'remove.accounts': { about: 'names of built-in accounts that are not wanted, and with them their offers' },
  'server.host': { about: 'the address to listen on; `HOST` goes before it', default: '127.0.0.1' },
  'server.port': { about: 'the port; `PORT` goes before it, 0 is any free one', default: 8080 },
  'server.admin_port': {
    about: 'a port of its own for the admin API, the metrics and the checks',
    default: 'the same port',
  },
  'server.public_url': {
    about: 'where people reach the gateway, for links in answers',
    default: 'the address it listens on',
  },
  'server.body_limit': { about: 'the largest body of a request, such as `64mb`', default: 67_108_864, unit: 'bytes' },
  'server.body_memory': { about: 'all bodies under way together', default: 268_435_456, unit: 'bytes' },
  'server.workers': {
    about: 'processes that take requests, or `auto`; `GATEWAY_WORKERS` goes before it',
    default: 'one up to two cores, beyond that one for each',
  },
  'server.drain_delay_seconds': {
    about: 'from the signal to stop until connections are refused',
    default: 0,
    unit: 'seconds',
  },
  'server.drain_seconds': { about: 'what runs may take to end when the gateway stops', default: 30, unit: 'seconds' },
  'server.trusted_proxies': {
    about:
      'addresses and ranges of your own proxies, whose `x-forwarded-for` is believed; `GATEWAY_TRUSTED_PROXIES`, with commas between them, goes before it',
    default: 'none',
  },
  'server.unknown_keys_per_minute': {
    about: 'texts that are no key, of one address, before more of them are answered with 429',
    default: 300,
  },
  'server.region': { about: 'where the process runs, in words of your own, for conditions of routes', default: 'none' },
  'server.kept_answers': {
    about: 'answers kept for `Idempotency-Key`s, of one owner and mode',
    default: 4_294_967_296,
    unit: 'bytes',
  },
  'server.response_cache': {
    about: 'answers that the `cache` of models keeps: in the memory of one process, or in Redis for all',
    default: 67_108_864,
    unit: 'bytes',
  },
  'server.resumable_streams': {
    about: 'streams that can be resumed, of one owner and mode, that run at once; 0: there are none',
    default: 64,
  },
  'server.metrics_key': {
    about: 'what `GET /metrics` asks for, or `none`; `GATEWAY_METRICS_KEY` goes before it',
    default: 'nothing on this machine alone; closed where others reach the port',
  },
  'database.url': {
    about: '`sqlite:./file` or `postgres://…`; `DATABASE_URL` goes before it',
    default: 'sqlite:./data/gateway.db',
  },
  'redis.url': {
    about: '`redis://…` for limits and health that machines share; `REDIS_URL` goes before it',
    default: 'none',
  },
  'money.overdraft': {
    about:
      'how far the requests of one owner together may cost more than the balance or a cap leaves, in all processes; 0: every worst case is held',
    default: 0.25,
    unit: 'US dollars',
  },
  'durability.above': {
    about: 'requests that may cost as much are written down before their vendor is asked',
    default: 5,
    unit: 'US dollars',
  },
  'durability.worst_cases': {
    about: 'so are those of a payer who has money for fewer such requests left',
    default: 16,
  },
  'twin.enabled': { about: 'whether the vendor twin runs', default: 'where it is needed' },
  'twin.video_seconds': { about: 'how long a video of the twin takes', default: 3, unit: 'seconds' },
  'tasks.poll_seconds': { about: 'how often vendors are asked how a task fares', default: 5, unit: 'seconds' },
  'tasks.queue_seconds': {
    about: 'how long a task may wait for room at an account with `max_jobs`',
    default: 3600,
    unit: 'seconds',
  },
  'tasks.deadline_hours': { about: 'when an open task ends without a result', default: 24, unit: 'hours' },
  'files.folder': { about: 'where kept files lie', default: './data/files' },
  'files.keep_hours': { about: 'how long pictures of links are kept', default: 24, unit: 'hours' },
  'files.kept_pictures': { about: 'kept for links, of one owner and mode', default: 17_179_869_184, unit: 'bytes' },
  'files.largest_upload': { about: 'the largest file that a caller may upload', default: 536_870_912, unit: 'bytes' },
  'files.uploads': { about: 'uploaded files, of one owner and mode', default: 8_589_934_592, unit: 'bytes' },
  'files.uploads_count': { about: 'how many uploaded files one owner may keep, live and test apart', default: 10_000 },
  'files.at_vendors_from': {
    about:
      'uploaded files from this size on are uploaded once to vendors that keep files, and named in chat requests; larger than `files.largest_upload`: none are',
    default: 4_194_304,
    unit: 'bytes',
  },
  'files.copy_results': { about: 'whether the files of finished tasks are copied from the vendor', default: false },
  'files.s3.endpoint': { about: 'the address of an S3 store that keeps files in place of the folder' },
  'files.s3.bucket': { about: 'its bucket' },
  'files.s3.region': { about: 'its region', default: 'us-east-1' },
  'files.s3.access_key': { about: 'the key of the store' },
  'files.s3.secret_key': { about: 'its secret' },
  'files.s3.prefix': { about: 'what names of objects begin with', default: 'nothing' },
  'telemetry.endpoint': {
    about: 'where OpenTelemetry’s exports go; `OTEL_…` goes before it',
    default: 'nothing is exported',
  },
  'telemetry.headers': { about: 'sent with every export' },
  'telemetry.signals': { about: 'what is exported', default: 'all three' },
  'telemetry.sample': { about: 'share of the traces that begin here, 0 to 1', default: 1 },
  'telemetry.service_name': { about: 'what the gateway is called', default: 'model-gateway' },
  'telemetry.metrics_seconds': { about: 'how often metrics are exported', default: 60, unit: 'seconds' },
  'telemetry.capture_content': { about: 'whether messages of requests are recorded', default: false },
  'telemetry.content_limit': {
    about: 'of the messages of one request, in and out each',
    default: 16_384,
    unit: 'bytes',
  },
  'usage_export.s3.endpoint': { about: 'the address of an S3 store that gets files of usage rows' },
  'usage_export.s3.bucket': { about: 'its bucket' },
  'usage_export.s3.region': { about: 'its region', default: 'us-east-1' },
  'usage_export.s3.access_key': { about: 'the key of the store' },
  'usage_export.s3.secret_key': { about: 'its secret' },
  'usage_export.s3.prefix': { about: 'what names of objects begin with', default: 'nothing' },
  'usage_export.every_minutes': { about: 'how many minutes one file covers', default: 60 },
  'security.allow_private': {
    about: 'private addresses and ranges that may be fetched from, port optional',
    default: 'none',
  },
  'security.unknown_vendor_ids': {
    about: 'what becomes of ids at vendors that no answer brought',
    default: 'refuse with several owners, pass with one',
  },
  'requests.log': {
    about:
      'what is kept of requests in the database: `off` is nothing, `metadata` everything but what was said, `bodies` also prompts and answers of keys with `keep_bodies`; those need `security.encryption_key`',
    default: 'metadata',
  },
  'requests.keep_days': { about: 'for how many days', default: 30 },
  'requests.bodies_keep_days': {
    about: 'for how many days prompts and answers; no longer than the rest',
    default: '7, or `keep_days` where that is less',
  },
  'requests.body_limit': {
    about: 'characters of a prompt, and of an answer, that are kept; media are left out before',
    default: 65_536,
  },
  'console.enabled': { about: 'whether the console is served and browsers may sign in', default: true },
  'console.session_hours': { about: 'when a session ends, however much it is used', default: 24, unit: 'hours' },
  'console.idle_minutes': { about: 'when a session ends that is not used', default: 120 },
  ...SINGLE_SIGN_ON_SETTINGS,
  'security.encryption_key': {
    about:
      'what kept responses, prompts and stored credentials are encrypted with: 32 random bytes in base64, or a list whose first encrypts and all decrypt; `GATEWAY_ENCRYPTION_KEY` goes before it',
    default: 'SQLite: made at the first start, in a file beside the database; PostgreSQL: nothing is kept',
  },
  'responses.keep_days': {
    about: 'how many days a response or conversation is kept since it was used last',
    default: 30,
  },
  'responses.kept_bytes': {
    about: 'what is kept of one owner and mode; what would be out of date first goes first',
    default: 1_073_741_824,
    unit: 'bytes',
  },
  'responses.compaction_model': {
    about: 'the chat model that writes summaries of conversations that are compacted',
    default: 'the model of the request',
  },
  'responses.compaction_prompt': { about: 'what that model is asked', default: 'a prompt for work that goes on' },
  'batches.concurrency': {
    about:
      'how many requests of batches one process runs at once; an owner gets at most half of these places, and an account at most half of its `max_concurrency`',
    default: 16,
  },
  'batches.keep_days': { about: 'for how many days the results of a batch are kept', default: 29 },
  'batches.max_waiting': {
    about: 'how many requests of batches of one owner and mode may wait',
    default: 200_000,
  },
  'batches.kept_bytes': {
    about: 'what batches of one owner and mode may take: requests that wait and results that are kept',
    default: 1_073_741_824,
    unit: 'bytes',
  },
  'batches.vendor': {
    about:
      'when lines go to their vendor in a batch of the vendor’s own: `when_cheaper` where the model has a price for that (`models[].price.batch`); an answer may take a day then',
    default: 'when_cheaper',
  },
  'log.level': { about: 'the least that is logged; `LOG_LEVEL` goes before it', default: 'info' },
  'log.format': {
    about: 'how log lines look; `auto` is text on a terminal and JSON elsewhere; `LOG_FORMAT` goes before it',
    default: 'auto',
  },
  'log.file': {
    about:
      'a file that JSON lines go to in place of standard output; `gateway logs -f` follows it, `LOG_FILE` goes before it',
    default: 'none',
  },
  'groups.*.factor': { about: 'multiplies the prices of keys of the group of this name', default: 1, unit: 'factor' },
  'groups.*.queue_weight': {
    about: 'jobs or calls in a turn of an owner who waits, where the key is of the group of this name',
    default: 1,
  },
  'groups.*.may_route': {
    about: 'whether its keys may send `x-gateway-…` headers about the way of a request',
    default: true,
  },
  'owners[].name': { about: 'unique; an owner that was made by hand and has this name is taken over' },
  'owners[].group': { about: 'the group of keys that are made for it and name none', default: 'default' },
  'owners[].credit_limit': {
    about: 'how far below zero its balance may go, in US dollars: 0 is prepaid, `none` is no limit',
    default: 'none',
  },
  'keys[].name': { about: 'unique among the keys of its owner' },
  'keys[].key': { about: 'the key itself, 16 characters or more; one that begins with `sk-test-` is a test key' },
  'keys[].owner': { about: 'who pays: a name of `owners`, or the number of an owner', default: 1 },
  'keys[].group': { about: 'whose factor its prices have', default: 'default' },
  'keys[].models': { about: 'codes it may use; `*` stands for any characters', default: 'all' },
  'keys[].ip_ranges': { about: 'addresses and ranges it may come from', default: 'all' },
  'keys[].expires_at': { about: 'when it ends: `2027-01-01T00:00:00Z`', default: 'never' },
  'keys[].webhook_secret': { about: 'signs its webhooks; begins with `whsec_`', default: 'no webhooks' },
  'keys[].keep_bodies': {
    about: 'whether prompts and answers of its requests are kept, where `requests.log` is `bodies`',
    default: false,
  },
  'keys[].limits.requests_per_minute': { about: 'requests in any minute', default: 'no limit' },
  'keys[].limits.tokens_per_minute': { about: 'tokens in any minute', default: 'no limit', unit: 'tokens' },
  'keys[].limits.concurrent_requests': { about: 'requests at once', default: 'no limit' },
  'keys[].limits.spend_per_day': { about: 'cap of a UTC day', default: 'no limit', unit: 'US dollars' },
  'keys[].limits.spend_per_month': { about: 'cap of a UTC month', default: 'no limit', unit: 'US dollars' },
  'keys[].limits.spend_total': { about: 'cap in all', default: 'no limit', unit: 'US dollars' },
  'keys[].limits.max_priority': {
    about: 'the highest `x-gateway-priority` that its tasks may ask for, up to 9',
    default: 0,
  },
  'accounts[].id': { about: 'a whole number, the `channel_id` of task records', default: 'made of the name' },
  'accounts[].name': { about: 'what offers call it; the name of a built-in one changes that one' },
  'accounts[].vendor': { about: 'who answers; needed for an account that is not built in' },
  'accounts[].base_url': { about: 'what the vendor’s documentation calls the base', default: 'the vendor’s own' },
  'accounts[].credentials': {
    about: 'by the vendor’s own names; one that names an unset variable turns the account off',
  },
  'accounts[].wire': { about: 'which of the vendor’s wires, where it has several', default: 'the vendor’s usual one' },
  'accounts[].settings': { about: 'settings of the vendor that are no secrets' },
  'accounts[].dialects': { about: 'wires of chat offers that name none' },
  'accounts[].max_concurrency': { about: 'calls at once; twice as many wait, owners in turns', default: 256 },
  'accounts[].max_jobs': {
    about: 'video jobs that the vendor has of it at once; tasks beyond it wait in a fair queue',
    default: 'no limit, and nothing waits',
  },
  ...budgets('accounts[].budget', 'the account'),
  ...budgets('accounts[].budget.models.*', 'the model of this name of the vendor’s'),
  'accounts[].budget.learn': {
    about: 'whether what the vendor’s headers say is left of its own limits counts, too',
    default: true,
  },
  ...timeouts('accounts[].timeout_seconds', [5, 60, 120]),
  'accounts[].headers': { about: 'sent with every call; credentials and the body’s form are the gateway’s own' },
  'accounts[].body_fields': {
    about: 'members of chat bodies, in the vendor’s words, for requests that do not have them',
  },
  'accounts[].on_disconnect': {
    about:
      'whether an answer whose caller has gone is read to its end or cut; `auto` cuts chat streams of vendors whose bill stops then, and everything of servers in your own network',
    default: 'auto',
  },
  'accounts[].on_truncation': {
    about:
      'what happens when the server reports far fewer prompt tokens than the gateway counts: `tell` says so in a header and the log, `refuse` refuses the answer, and streams begin when it is whole; `auto` tells it of servers in your own network',
    default: 'auto',
  },
  'accounts[].propagate_trace': {
    about: 'whether its servers are told which trace a request belongs to',
    default: false,
  },
  'accounts[].owners': {
    about: 'owners to whom everything belongs that the account keeps and no answer brought: files, prompts, caches',
    default: 'see `security.unknown_vendor_ids`',
  },
  'accounts[].vendor_ids': {
    about: 'owners of single things that the account keeps, by the vendor’s id; over `owners`',
    default: 'none',
  },
  'accounts[].pass_through.keys': {
    about: 'names of keys that may ask the opened paths under `/pass/`; `*` stands for any characters',
    default: 'any, where groups or owners are named',
  },
  'accounts[].pass_through.groups': { about: 'groups of keys, likewise', default: 'any' },
  'accounts[].pass_through.owners': { about: 'owners of keys', default: 'any' },
  'accounts[].pass_through.body_limit': {
    about: 'the largest body that is passed on; it is not held in memory',
    default: '`server.body_limit`',
    unit: 'bytes',
  },
  'accounts[].pass_through.paths[].path': {
    about:
      'a path below the base address: `*` stands for characters of one segment, `**` at the end for whatever lies below',
  },
  'accounts[].pass_through.paths[].methods': { about: 'the methods that are opened' },
  'accounts[].pass_through.paths[].price.call': { about: 'each answer below 400', unit: 'US dollars' },
  'accounts[].pass_through.paths[].price.unit': { about: 'each of `units`', unit: 'US dollars' },
  'accounts[].pass_through.paths[].price.input': { about: 'tokens that are read', unit: PER_MILLION },
  'accounts[].pass_through.paths[].price.cached_input': { about: 'of them those from a cache', unit: PER_MILLION },
  'accounts[].pass_through.paths[].price.output': { about: 'tokens that are written', unit: PER_MILLION },
  'accounts[].pass_through.paths[].price.image': { about: 'each picture', unit: 'US dollars' },
  'accounts[].pass_through.paths[].price.second': { about: 'each second', unit: 'US dollars' },
  'accounts[].pass_through.paths[].price.character': { about: 'characters, per million', unit: 'US dollars' },
  ...Object.fromEntries(
    ['units', 'input_tokens', 'cached_input_tokens', 'output_tokens', 'images', 'seconds', 'characters'].flatMap(
      (count): [string, Setting][] => [
        [
          `accounts[].pass_through.paths[].usage.${count}`,
          { about: 'where an answer tells it: members with dots between them, such as `usage.pages`' },
        ],
        [
          `accounts[].pass_through.paths[].most.${count}`,
          { about: 'what one answer tells at most: held before, and billed where an answer does not tell' },
        ],
      ],
    ),
  ),
  'accounts[].pass_through.paths[].headers': {
    about: 'more headers of callers that go along; credentials and addresses never do',
    default: 'those of content, ranges and the vendor’s versions',
  },
  'guardrails[].name': { about: 'what it is called in headers, logs and refusals' },
  'guardrails[].mode': { about: 'what becomes of what is found: told, masked, or refused with the request' },
  'guardrails[].on': { about: 'what is looked through', default: 'both' },
  'guardrails[].models': { about: 'codes of models; `*` stands for any characters', default: 'all' },
  'guardrails[].keys': { about: 'names of keys, likewise', default: 'all' },
  'guardrails[].groups': { about: 'groups of keys, likewise', default: 'all' },
  'guardrails[].detect': { about: 'built-in sets of what is looked for', default: 'none' },
  'guardrails[].patterns[].name': { about: 'what a match is called' },
  'guardrails[].patterns[].pattern': {
    about: 'a regular expression in the syntax of RE2; a match has at most 512 characters',
  },
  'guardrails[].words': { about: 'words and phrases, whole and whatever their case', default: 'none' },
  'guardrails[].hook.url': { about: 'an address of yours that is asked what becomes of texts' },
  'guardrails[].hook.headers': { about: 'sent with every question; shown nowhere', default: 'none' },
  'guardrails[].hook.max_concurrency': { about: 'questions to the address at once; others wait', default: 64 },
  'guardrails[].hook.timeout_ms': {
    about: 'from the question to the end of its answer',
    default: 3_000,
    unit: 'milliseconds',
  },
  'guardrails[].hook.on_error': {
    about: 'what becomes of texts that it could not judge; what is only observed always passes',
    default: 'refuse',
  },
  'guardrails[].hook.window': {
    about: 'what of a stream is judged together; so much is held back',
    default: 1_000,
    unit: 'characters',
  },
  'guardrails[].moderation.model': {
    about: 'the code of a moderation model that judges texts; callers do not pay for it',
  },
  'guardrails[].moderation.categories': { about: 'its categories that count', default: 'all' },
  'guardrails[].moderation.thresholds': {
    about: 'from which score on a category counts, 0 to 1',
    default: 'the model’s own word',
  },
  'guardrails[].moderation.timeout_ms': {
    about: 'from the question to the end of its answer',
    default: 10_000,
    unit: 'milliseconds',
  },
  'guardrails[].moderation.on_error': {
    about: 'what becomes of texts that it could not judge; what is only observed always passes',
    default: 'refuse',
  },
  'guardrails[].moderation.window': {
    about: 'what of a stream is judged together; so much is held back',
    default: 1_000,
    unit: 'characters',
  },
  ...MCP_SETTINGS,
  'models[].code': { about: 'what callers write in `model`; `openai/*` stands for every name that begins so' },
  'models[].aliases': { about: 'further names of the model', default: 'none' },
  'models[].kind': { about: 'what it makes; needed for a model that is not built in' },
  'models[].description': { about: 'one sentence for people', default: 'none' },
  'models[].body': {
    about:
      'the shape of its body: of a video model `content`, `input`, `image-urls`, `omni`, `prompt` or `seconds`, of an image model `prompt` or `messages`',
  },
  'models[].voices': { about: 'of a speech model', default: 'none' },
  'models[].limits.max_input_tokens': { about: 'what it can read at once', default: 1_048_576, unit: 'tokens' },
  'models[].limits.max_output_tokens': {
    about: 'what it writes in one answer; higher caps are lowered to it',
    default: 131_072,
    unit: 'tokens',
  },
  'models[].limits.max_reasoning_tokens': {
    about: 'reasoning that the vendor bills beyond a request’s cap',
    default: 0,
    unit: 'tokens',
  },
  'models[].limits.max_image_tokens': { about: 'of one picture in a request', default: 10_000, unit: 'tokens' },
  'models[].limits.max_web_searches': { about: 'of one request', default: 30 },
  'models[].limits.max_tool_rounds': {
    about: 'how often the vendor bills the context anew while it runs its own tools',
    default: 1,
  },
  'models[].limits.*': {
    about:
      'told to callers as it stands, and checked where the kind knows it: `inputs`, `durations`, `resolutions`, `sizes`, `max_images`, …',
  },
  'models[].created': { about: 'when it was published, for lists', default: '2026-11-01T00:00:00Z' },
  'models[].deadline_hours': { about: 'when an open task of it ends', default: 'tasks.deadline_hours', unit: 'hours' },
  'models[].cache.ttl_seconds': {
    about:
      'of chat and embedding models: an answer is kept for so long, a day at most, and given again to the same request of the same owner; nothing is kept without `cache`',
    unit: 'seconds',
  },
  'models[].cache.when': {
    about:
      'chat, `deterministic`: at temperature 0 and without tools that the vendor runs; `always`: whatever is asked; vectors are always the same',
    default: 'deterministic',
  },
  'models[].cache.share': {
    about: 'what it costs when it is given again, of what it cost when a vendor gave it: from 0 to 1',
    default: 0,
  },
  'models[].usual_seconds': {
    about: 'how long a task of it usually takes: the first look waits for it',
    default: 'not known',
    unit: 'seconds',
  },
  'models[].offers[].account': { about: 'the name of the account that serves it' },
  'models[].offers[].model': {
    about: 'what the vendor calls it; in a wildcard’s offer `*` is what the code’s `*` stood for',
  },
  'models[].offers[].dialect': { about: 'chat: the wire it is asked in', default: 'the account’s dialects' },
  'models[].offers[].dialects': {
    about: 'chat: several wires, the preferred one first; a caller’s own goes before it',
  },
  'models[].offers[].priority': { about: 'the smallest is tried first', default: 1 },
  'models[].offers[].weight': { about: 'its share among offers of one priority', default: 1 },
  'models[].offers[].quirks': { about: 'fine points of this vendor model, by the names that its adapter declares' },
  'models[].price.input': {
    about:
      'input tokens; `price: free` in place of all prices says that the model costs nothing, and a row needs one or the other',
    unit: PER_MILLION,
  },
  'models[].price.cached_input': {
    about: 'input tokens that the vendor had kept',
    default: 'as input',
    unit: PER_MILLION,
  },
  'models[].price.cached_input_audio': {
    about: 'tokens of sound that the vendor had kept',
    default: 'as cached_input',
    unit: PER_MILLION,
  },
  'models[].price.cached_input_image': {
    about: 'tokens of pictures that the vendor had kept',
    default: 'as cached_input',
    unit: PER_MILLION,
  },
  'models[].price.cache_write': { about: 'input tokens that the vendor keeps', default: 'as input', unit: PER_MILLION },
  'models[].price.cache_write_1h': { about: 'those kept for an hour', default: 'twice input', unit: PER_MILLION },
  'models[].price.output': { about: 'output tokens', unit: PER_MILLION },
  'models[].price.reasoning': { about: 'reasoning tokens', default: 'as output', unit: PER_MILLION },
  'models[].price.output_tokens': { about: 'tokens of a video', unit: PER_MILLION },
  'models[].price.input_audio': { about: 'tokens of sound in a request', default: 'as input', unit: PER_MILLION },
  'models[].price.output_audio': { about: 'tokens of sound in an answer', default: 'as output', unit: PER_MILLION },
  'models[].price.input_image': { about: 'tokens of pictures in a request', default: 'as input', unit: PER_MILLION },
  'models[].price.output_image': { about: 'tokens of pictures in an answer', default: 'as output', unit: PER_MILLION },
  'models[].price.image': { about: 'a picture', unit: 'US dollars' },
  'models[].price.second': { about: 'a second of video', unit: 'US dollars' },
  'models[].price.video': { about: 'a video', unit: 'US dollars' },
  'models[].price.character': { about: 'a million characters that are spoken', unit: 'US dollars' },
  'models[].price.web_search': { about: 'a search', unit: 'US dollars' },
  'models[].price.cache_storage': {
    about: 'a million tokens of a cached content for an hour; without it the model keeps none',
    unit: 'US dollars',
  },
  'models[].price.search_unit': { about: 'a query over up to 100 documents', unit: 'US dollars' },
  'models[].price.resolution_factors': {
    about: 'by resolution or size class: `{ 1080p: 2 }`',
    default: 1,
    unit: 'factor',
  },
  'models[].price.audio_factor': { about: 'for videos with sound of their own', default: 1, unit: 'factor' },
  'models[].price.batch': {
    about: 'multiplies the prices of tokens of what is sent in the vendor’s own batch',
    unit: 'factor',
  },
  'models[].price.long_context.above': { about: 'input beyond which the two factors below apply', unit: 'tokens' },
  'models[].price.long_context.input': { about: 'multiplies the prices of input', unit: 'factor' },
  'models[].price.long_context.output': { about: 'multiplies the prices of output', unit: 'factor' },
  'models[].price.factors.service_tier': {
    about: 'by value; a value without a factor costs as much as the dearest here',
    unit: 'factor',
  },
  'models[].price.factors.speed': { about: 'by value, likewise', unit: 'factor' },
  'models[].price.factors.inference_geo': { about: 'by value, likewise', unit: 'factor' },
  'models[].price.factors.anthropic-beta': {
    about: 'by value; one without a factor costs what is usual',
    unit: 'factor',
  },
  ...timeouts('models[].timeout_seconds', ['the account’s', 'the account’s', 'the account’s']),
  'models[].headers': { about: 'as those of an account, and before them' },
  'models[].body_fields': { about: 'as those of an account, and before them; chat models only' },
  'models[].routes[].model': { about: 'the code that requests go to' },
  'models[].routes[].when.keys': { about: 'names of keys; `*` stands for any characters' },
  'models[].routes[].when.groups': { about: 'groups of keys' },
  'models[].routes[].when.tags': { about: 'by tag: values, `*` stands for any characters' },
  'models[].routes[].when.inputs': { about: 'one of them comes with the request' },
  'models[].routes[].when.input_tokens.from': { about: 'the input has so many or more', unit: 'tokens' },
  'models[].routes[].when.input_tokens.below': { about: 'the input has fewer', unit: 'tokens' },
  'models[].routes[].when.regions': { about: 'values of `server.region`' },
  'models[].routes[].when.time.from': { about: 'a time of day such as `22:00`', default: '00:00' },
  'models[].routes[].when.time.until': {
    about: 'a time of day, not included; before `from` it is that of the next day',
    default: '24:00',
  },
  'models[].routes[].when.time.days': { about: 'days of the week on which it begins', default: 'all' },
  'models[].routes[].when.time.zone': { about: 'whose clock: `Europe/Berlin`', default: 'UTC' },
  'models[].routes[].priority': { about: 'the smallest is tried first', default: 1 },
  'models[].routes[].weight': { about: 'its share among routes of one priority', default: 1 },
  'models[].fallbacks.on_error': { about: 'codes to ask when nobody else could answer' },
  'models[].fallbacks.on_context_too_long': { about: 'codes to ask when the input is too long for the model' },
  'models[].fallbacks.on_content_refusal': { about: 'codes to ask when the vendor refuses what the request says' },
  'models[].strategy': { about: 'how those of one priority are put in order', default: 'weighted' },
  'models[].affinity': {
    about: '`prefix`: conversations that begin alike go to the same of one priority; chat models only',
    default: '`prefix` for weighted chat rows with several offers and a price of cached input, else `none`',
  },
  'models[].source': {
    about: 'where its price and limits were read; `unverified` where nobody has looked, and then without `checked`',
  },
  'models[].checked': { about: 'the day that they were last compared with their source: `2026-11-25`' },
  'models[].prompt_cache': {
    about:
      '`auto`: conversations that are translated for a vendor whose prompt cache must be asked for (Anthropic) are kept there from their second turn on, where the prices say that it pays; chat models only',
    default: 'auto',
  },
  'models[].on_break': {
    about: '`continue`: another offer or route goes on with a stream that breaks off; chat models only',
    default: 'error',
  },
  'models[].hedge.percentile': {
    about: 'a second vendor is asked when an answer takes longer to begin than so many of a hundred; chat models only',
    default: 95,
  },
  'models[].hedge.budget': {
    about: 'second questions as a share of requests, 0 to 1; ten more are free, with 0 those alone',
    default: 0.1,
  },
  'models[].retries.attempts': { about: 'questions to vendors that one request may cause', default: 4 },
  'models[].retries.on': { about: 'faults after which another attempt may be made', default: 'all but `empty_answer`' },
  'models[].retries.budget': {
    about: 'attempts beyond the first, as a share of requests, 0 to 1; ten more are free',
    default: 0.1,
  },
  'models[].timeout_seconds.first_token': {
    about: 'until a stream’s first event, of one attempt; chat models only',
    default: 'none',
    unit: 'seconds',
  },
  'models[].timeout_seconds.total': {
    about: 'until there is an answer, or a stream has begun, of all attempts; chat models only',
    default: 'none',
    unit: 'seconds',
  },
  default_model: { about: 'the chat model that unknown names stand for', default: 'none: they are refused' },
};
