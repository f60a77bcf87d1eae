/** What each setting of the configuration file means: read by the JSON Schema and the guide page that are made of the file's schema. */

import { ALERT_SETTINGS } from './alerts.ts';
import { CALLER_SETTINGS } from './caller-tokens.ts';
import { limitSettings } from './limit-settings.ts';
import { MCP_SETTINGS } from './mcp.ts';
import { BUDGET_SETTINGS } from './spend-budgets.ts';
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
  [`${path}.connect`]: { about: 'the longest wait for the connection', default: usual[0], unit: 'seconds' },
  [`${path}.first_byte`]: {
    about:
      'the longest wait for the answer to begin; by default 300 for images, 180 for speech and 600 for transcripts',
    default: usual[1],
    unit: 'seconds',
  },
  [`${path}.idle`]: {
    about: 'the longest pause the longest pause between two pieces of an answer',
    default: usual[2],
    unit: 'seconds',
  },
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
  extends: { about: 'what the file extends: the built-in catalogue, or nothing', default: 'builtin' },
  'config.source': {
    about:
      '`database`: models, accounts and budgets can be edited while the gateway runs; the edits are stored in the database and override this file; `file` locks them for configurations that are kept in version control; `GATEWAY_CONFIG_SOURCE` overrides it',
    default: 'database',
  },
  'remove.models': { about: 'codes of built-in models to remove; `*` stands for any characters' },
  'remove.accounts': { about: 'names of built-in accounts to remove, with their offers' },
  'server.host': { about: 'the address to listen on; `HOST` overrides it', default: '127.0.0.1' },
  'server.port': { about: 'the port; `PORT` overrides it, 0 means any free port', default: 8080 },
  'server.admin_port': {
    about: 'a separate port for the admin API, the metrics and the health checks',
    default: 'the same port',
  },
  'server.public_url': {
    about: 'the address that people use to reach the gateway, for links in answers',
    default: 'the address it listens on',
  },
  'server.body_limit': { about: 'the largest body of a request, such as `64mb`', default: 67_108_864, unit: 'bytes' },
  'server.body_memory': { about: 'the memory for all request bodies at one time', default: 268_435_456, unit: 'bytes' },
  'server.workers': {
    about: 'how many processes take requests, or `auto`; `GATEWAY_WORKERS` overrides it',
    default: 'one up to two cores, beyond that one for each',
  },
  'server.drain_delay_seconds': {
    about: 'the time from the stop signal until new connections are refused',
    default: 0,
    unit: 'seconds',
  },
  'server.drain_seconds': {
    about: 'the time for running requests to end when the gateway stops',
    default: 30,
    unit: 'seconds',
  },
  'server.trusted_proxies': {
    about:
      'addresses and ranges of your own proxies, whose `x-forwarded-for` is trusted; `GATEWAY_TRUSTED_PROXIES`, with commas between them, overrides it',
    default: 'none',
  },
  'server.unknown_keys_per_minute': {
    about: 'how many invalid keys one address may send before it gets a 429',
    default: 300,
  },
  'server.region': { about: 'the region of the process, in your own words, for conditions of routes', default: 'none' },
  'server.kept_answers': {
    about: 'storage for answers to `Idempotency-Key`s, for each owner and mode',
    default: 4_294_967_296,
    unit: 'bytes',
  },
  'server.response_cache': {
    about: 'storage for cached answers of models with `cache`: for one process in memory, or for all in Redis',
    default: 67_108_864,
    unit: 'bytes',
  },
  'server.resumable_streams': {
    about: 'how many resumable streams of one owner and mode may run at once; 0 turns them off',
    default: 64,
  },
  'server.metrics_key': {
    about:
      'the key for `GET /metrics`, or `none`: everybody may read it, without metrics of spend unless `telemetry.spend.labels` names some; `GATEWAY_METRICS_KEY` overrides it',
    default: 'nothing on this machine alone; closed where others reach the port',
  },
  'database.url': {
    about: '`sqlite:./file` or `postgres://…`; `DATABASE_URL` overrides it',
    default: 'sqlite:./data/gateway.db',
  },
  'redis.url': {
    about: '`redis://…` to share limits and health between machines; `REDIS_URL` overrides it',
    default: 'none',
  },
  'money.overdraft': {
    about:
      'how much the running requests of one owner may cost beyond the balance or a cap, in all processes together; with 0, every request holds its worst case',
    default: 0.25,
    unit: 'US dollars',
  },
  'durability.above': {
    about: 'requests that may cost this much or more are stored before their vendor is asked',
    default: 5,
    unit: 'US dollars',
  },
  'durability.worst_cases': {
    about: 'requests of a payer whose money covers fewer such requests are stored, too',
    default: 16,
  },
  'twin.enabled': { about: 'whether the vendor twin runs', default: 'where it is needed' },
  'twin.video_seconds': { about: 'how long a video of the twin takes', default: 3, unit: 'seconds' },
  'tasks.poll_seconds': {
    about: 'how often the gateway asks vendors for the state of a task',
    default: 5,
    unit: 'seconds',
  },
  'tasks.queue_seconds': {
    about: 'how long a task may wait for room at an account with `max_jobs`',
    default: 3600,
    unit: 'seconds',
  },
  'tasks.vendor_webhooks': {
    about:
      'whether vendors that can call back are given an address below `server.public_url`, which they call when a job ends',
    default: false,
  },
  'tasks.deadline_hours': { about: 'after this time, an open task ends without a result', default: 24, unit: 'hours' },
  'files.folder': { about: 'the folder for stored files', default: './data/files' },
  'files.keep_hours': { about: 'how long images behind links are kept', default: 24, unit: 'hours' },
  'files.kept_pictures': {
    about: 'storage for images behind links, for each owner and mode',
    default: 17_179_869_184,
    unit: 'bytes',
  },
  'files.largest_upload': { about: 'the largest file that a caller may upload', default: 536_870_912, unit: 'bytes' },
  'files.uploads': {
    about: 'storage for uploaded files, for each owner and mode',
    default: 8_589_934_592,
    unit: 'bytes',
  },
  'files.uploads_count': {
    about: 'how many uploaded files one owner may keep, counted separately for live and test',
    default: 10_000,
  },
  'files.at_vendors_from': {
    about:
      'files from this size on are uploaded once to vendors that store files, and chat requests name them; a value above `files.largest_upload` turns this off',
    default: 4_194_304,
    unit: 'bytes',
  },
  'files.copy_results': { about: 'whether to copy the files of finished tasks from the vendor', default: false },
  'files.s3.endpoint': { about: 'the address of an S3 store, which replaces the folder' },
  'files.s3.bucket': { about: 'its bucket' },
  'files.s3.region': { about: 'its region', default: 'us-east-1' },
  'files.s3.access_key': { about: 'the key of the store' },
  'files.s3.secret_key': { about: 'its secret' },
  'files.s3.prefix': { about: 'the prefix of object names', default: 'nothing' },
  'telemetry.endpoint': {
    about: 'the collector for OpenTelemetry’s exports; `OTEL_…` overrides it',
    default: 'nothing is exported',
  },
  'telemetry.headers': { about: 'headers for every export' },
  'telemetry.signals': { about: 'which signals are exported', default: 'all three' },
  'telemetry.sample': { about: 'the share of traces to record, of those that begin here: 0 to 1', default: 1 },
  'telemetry.service_name': { about: 'the name of this service in exports', default: 'model-gateway' },
  'telemetry.metrics_seconds': { about: 'how often metrics are exported', default: 60, unit: 'seconds' },
  'telemetry.capture_content': { about: 'whether traces contain the messages of requests', default: false },
  'telemetry.content_limit': {
    about: 'the most that is recorded of one request’s messages, for input and output each',
    default: 16_384,
    unit: 'bytes',
  },
  'telemetry.spend.labels': {
    about:
      'labels of the metrics of spend: `organization`, `owner`, `project`, `user`; an empty list turns these metrics off',
    default: 'organization, owner, project; none if the metrics key is none',
  },
  'telemetry.spend.values': {
    about:
      'different values of each of these labels in one process, 1 to 500; further ones are counted together as `other`',
    default: 100,
  },
  'usage_export.s3.endpoint': { about: 'the address of an S3 store that gets files of usage rows' },
  'usage_export.s3.bucket': { about: 'its bucket' },
  'usage_export.s3.region': { about: 'its region', default: 'us-east-1' },
  'usage_export.s3.access_key': { about: 'the key of the store' },
  'usage_export.s3.secret_key': { about: 'its secret' },
  'usage_export.s3.prefix': { about: 'the prefix of object names', default: 'nothing' },
  'usage_export.every_minutes': { about: 'how often files are updated, in minutes', default: 60 },
  'security.allow_private': {
    about: 'private addresses and ranges that the gateway may connect to; the port is optional',
    default: 'none',
  },
  'security.unknown_vendor_ids': {
    about: 'what to do with vendors’ ids that did not come from an answer of this gateway',
    default: 'refuse with several owners, pass with one',
  },
  'requests.log': {
    about:
      'what the request log keeps: `off` nothing, `metadata` everything but prompts and answers, `bodies` also prompts and answers of keys with `keep_bodies`, which needs `security.encryption_key`',
    default: 'metadata',
  },
  'requests.keep_days': { about: 'how many days the request log is kept', default: 30 },
  'requests.bodies_keep_days': {
    about: 'how many days prompts and answers are kept; no longer than the log',
    default: '7, or `keep_days` where that is less',
  },
  'requests.body_limit': {
    about: 'how many characters of a prompt and of an answer are kept, without media',
    default: 65_536,
  },
  'console.enabled': { about: 'whether the console is served and browsers may sign in', default: true },
  'console.session_hours': {
    about: 'a session ends after this time, even if it is in use',
    default: 24,
    unit: 'hours',
  },
  'console.idle_minutes': { about: 'a session ends after this time without use', default: 120 },
  ...SINGLE_SIGN_ON_SETTINGS,
  ...CALLER_SETTINGS,
  ...ALERT_SETTINGS,
  'security.encryption_key': {
    about:
      'encrypts stored responses, prompts and credentials: 32 random bytes in base64, or a list, whose first key encrypts and all keys decrypt; `GATEWAY_ENCRYPTION_KEY` overrides it',
    default: 'SQLite: made at the first start, in a file beside the database; PostgreSQL: nothing is kept',
  },
  'responses.keep_days': {
    about: 'how many days a response or conversation is kept after its last use',
    default: 30,
  },
  'responses.kept_bytes': {
    about: 'storage for each owner and mode; what would expire first is removed first',
    default: 1_073_741_824,
    unit: 'bytes',
  },
  'responses.compaction_model': {
    about: 'the chat model that writes summaries of compacted conversations',
    default: 'the model of the request',
  },
  'responses.compaction_prompt': { about: 'the prompt for that model', default: 'a prompt for work that goes on' },
  'batches.concurrency': {
    about:
      'how many requests of batches one process runs at once; an owner gets at most half of them, and an account gives at most half of its `max_concurrency`',
    default: 16,
  },
  'batches.keep_days': { about: 'how many days the results of a batch are kept', default: 29 },
  'batches.max_waiting': {
    about: 'how many requests of batches of one owner and mode may wait',
    default: 200_000,
  },
  'batches.kept_bytes': {
    about: 'storage for batches of each owner and mode: waiting requests and results',
    default: 1_073_741_824,
    unit: 'bytes',
  },
  'batches.vendor': {
    about:
      'when to use the vendor’s own batches: `when_cheaper` if the model has a price for that (`models[].price.batch`); an answer may take a day then',
    default: 'when_cheaper',
  },
  'log.level': { about: 'the lowest level that is logged; `LOG_LEVEL` overrides it', default: 'info' },
  'log.format': {
    about: 'the format of log lines; `auto` is text on a terminal and JSON elsewhere; `LOG_FORMAT` overrides it',
    default: 'auto',
  },
  'log.file': {
    about: 'a file for JSON lines, instead of standard output; `gateway logs -f` follows it, `LOG_FILE` overrides it',
    default: 'none',
  },
  'groups.*.factor': { about: 'multiplies the prices of keys of the group of this name', default: 1, unit: 'factor' },
  'groups.*.queue_weight': {
    about: 'how many jobs or calls an owner gets in one turn of a queue, with a key of this group',
    default: 1,
  },
  'groups.*.may_route': {
    about: 'whether its keys may send `x-gateway-…` headers that control routing',
    default: true,
  },
  'owners[].name': { about: 'a unique name; an existing owner with this name is taken over' },
  'owners[].group': { about: 'the group of its keys that name no group', default: 'default' },
  'owners[].credit_limit': {
    about: 'how far below zero its balance may go, in US dollars: 0 is prepaid, `none` is no limit',
    default: 'none',
  },
  'owners[].organization': {
    about: 'the organization that it belongs to; usage and budgets add up owners of the same one',
    default: 'none',
  },
  ...BUDGET_SETTINGS,
  'keys[].name': { about: 'unique among the keys of its owner' },
  'keys[].key': { about: 'the key itself, at least 16 characters; with `sk-test-` at its beginning it is a test key' },
  'keys[].owner': { about: 'who pays: a name of `owners`, or the number of an owner', default: 1 },
  'keys[].group': { about: 'the group, which sets the price factor', default: 'default' },
  'keys[].models': { about: 'model codes that the key may use; `*` stands for any characters', default: 'all' },
  'keys[].ip_ranges': { about: 'addresses and ranges that may use the key', default: 'all' },
  'keys[].expires_at': { about: 'when the key expires: `2027-01-01T00:00:00Z`', default: 'never' },
  'keys[].webhook_secret': {
    about: 'the secret that the secret that signs its webhooks; begins with `whsec_`',
    default: 'no webhooks',
  },
  'keys[].keep_bodies': {
    about: 'whether to keep prompts and answers of its requests, if `requests.log` is `bodies`',
    default: false,
  },
  ...limitSettings('keys[].limits'),
  'accounts[].id': { about: 'a whole number, the `channel_id` of task records', default: 'made of the name' },
  'accounts[].name': { about: 'the name that offers use; the name of a built-in account changes that account' },
  'accounts[].vendor': { about: 'the vendor; required for an account that is not built in' },
  'accounts[].base_url': {
    about: 'the base address, as in the vendor’s documentation; of Azure OpenAI also several, separated by commas',
    default: 'the vendor’s own',
  },
  'accounts[].credentials': {
    about:
      'by the vendor’s own names; the account is off if a variable is unset. Commas in `api_key` separate keys, and `api_keys` is a list of them',
  },
  'accounts[].regions': {
    about:
      'the regions of the vendor that are asked, of Azure OpenAI the addresses of resources; each has its own limits and its own health',
    default: 'the region of the settings',
  },
  'accounts[].models': {
    about: 'names or patterns of the vendor’s models that wildcard rows can ask for',
    default: 'all',
  },
  'accounts[].default_price.input': {
    about:
      'input tokens of models of the account that have no entry: with this price, callers name them `ACCOUNT/MODEL`; `default_price: free` if they are free',
    default: 'such models are refused',
    unit: PER_MILLION,
  },
  'accounts[].default_price.output': {
    about: 'output tokens of such models; without it, only embedding models are served',
    unit: PER_MILLION,
  },
  'accounts[].default_price.cached_input': {
    about: 'input tokens read from the vendor’s cache',
    default: 'as input',
    unit: PER_MILLION,
  },
  'accounts[].default_price.cache_write': {
    about: 'input tokens written to the vendor’s cache',
    default: 'as input',
    unit: PER_MILLION,
  },
  'accounts[].default_price.cache_write_1h': {
    about: 'input tokens written to a cache that lasts an hour',
    default: 'twice input',
    unit: PER_MILLION,
  },
  'accounts[].default_price.reasoning': { about: 'reasoning tokens', default: 'as output', unit: PER_MILLION },
  'accounts[].default_price.web_search': { about: 'a search', unit: 'US dollars' },
  'accounts[].wire': { about: 'the vendor’s API format, if it has several', default: 'the vendor’s usual one' },
  'accounts[].settings': { about: 'settings of the vendor that are not secret' },
  'accounts[].dialects': { about: 'the API formats of chat offers that name none' },
  'accounts[].max_concurrency': {
    about: 'how many calls run at once; twice as many can wait, and owners take turns',
    default: 256,
  },
  'accounts[].max_jobs': {
    about: 'how many video jobs the vendor runs at once; more tasks wait in a fair queue',
    default: 'no limit, and nothing waits',
  },
  ...budgets('accounts[].budget', 'the account'),
  ...budgets('accounts[].budget.models.*', 'the model of this name of the vendor’s'),
  'accounts[].budget.learn': {
    about: 'whether the vendor’s own limits count as well, as its headers report them',
    default: true,
  },
  ...timeouts('accounts[].timeout_seconds', [5, 60, 120]),
  'accounts[].headers': { about: 'headers for every call, except those for credentials and content type' },
  'accounts[].body_fields': {
    about: 'defaults for members of chat bodies, by the vendor’s names',
  },
  'accounts[].on_disconnect': {
    about:
      'whether an answer is read to its end or stopped when the caller disconnects; `auto` stops chat streams of vendors that stop billing then, and all answers of servers in your own network',
    default: 'auto',
  },
  'accounts[].on_truncation': {
    about:
      'what happens when the server reports far fewer prompt tokens than the gateway counts: `tell` says so in a header and the log, `refuse` refuses the answer, and streams begin when it is whole; `auto` tells it of servers in your own network',
    default: 'auto',
  },
  'accounts[].propagate_trace': {
    about: 'whether to send trace headers to its servers',
    default: false,
  },
  'accounts[].owners': {
    about:
      'owners who may use everything stored at the account that did not come from an answer: files, prompts, caches',
    default: 'see `security.unknown_vendor_ids`',
  },
  'accounts[].vendor_ids': {
    about: 'owners of single ids stored at the account; overrides `owners`',
    default: 'none',
  },
  'accounts[].pass_through.keys': {
    about: 'names of keys that may use the opened paths under `/pass/`; `*` stands for any characters',
    default: 'any, where groups or owners are named',
  },
  'accounts[].pass_through.groups': { about: 'groups of keys, likewise', default: 'any' },
  'accounts[].pass_through.owners': { about: 'owners of keys', default: 'any' },
  'accounts[].pass_through.body_limit': {
    about: 'the largest request body; it is not held in memory',
    default: '`server.body_limit`',
    unit: 'bytes',
  },
  'accounts[].pass_through.paths[].path': {
    about:
      'a path below the base address: `*` stands for characters of one segment, `**` at the end for everything below',
  },
  'accounts[].pass_through.paths[].methods': { about: 'the methods that are open' },
  'accounts[].pass_through.paths[].price.call': {
    about: 'for each answer with a status below 400',
    unit: 'US dollars',
  },
  'accounts[].pass_through.paths[].price.unit': { about: 'each of `units`', unit: 'US dollars' },
  'accounts[].pass_through.paths[].price.input': { about: 'tokens that are read', unit: PER_MILLION },
  'accounts[].pass_through.paths[].price.cached_input': { about: 'input tokens from a cache', unit: PER_MILLION },
  'accounts[].pass_through.paths[].price.output': { about: 'tokens that are written', unit: PER_MILLION },
  'accounts[].pass_through.paths[].price.image': { about: 'each image', unit: 'US dollars' },
  'accounts[].pass_through.paths[].price.second': { about: 'each second', unit: 'US dollars' },
  'accounts[].pass_through.paths[].price.character': { about: 'characters, per million', unit: 'US dollars' },
  ...Object.fromEntries(
    ['units', 'input_tokens', 'cached_input_tokens', 'output_tokens', 'images', 'seconds', 'characters'].flatMap(
      (count): [string, Setting][] => [
        [
          `accounts[].pass_through.paths[].usage.${count}`,
          { about: 'where an answer reports the count: member names joined by dots, such as `usage.pages`' },
        ],
        [
          `accounts[].pass_through.paths[].most.${count}`,
          { about: 'the highest count of one answer: held in advance, and charged if the answer does not report one' },
        ],
      ],
    ),
  ),
  'accounts[].pass_through.paths[].headers': {
    about: 'more headers of callers to send; credentials and addresses are never sent',
    default: 'those of content, ranges and the vendor’s versions',
  },
  'guardrails[].name': { about: 'the name in headers, logs and refusals' },
  'guardrails[].mode': { about: 'what to do with matches: report them, mask them, or refuse the request' },
  'guardrails[].on': { about: 'what the guardrail checks', default: 'both' },
  'guardrails[].models': { about: 'codes of models; `*` stands for any characters', default: 'all' },
  'guardrails[].keys': { about: 'names of keys, likewise', default: 'all' },
  'guardrails[].groups': { about: 'groups of keys, likewise', default: 'all' },
  'guardrails[].detect': { about: 'built-in sets of patterns', default: 'none' },
  'guardrails[].patterns[].name': { about: 'the name of a match' },
  'guardrails[].patterns[].pattern': {
    about: 'a regular expression in the syntax of RE2; a match has at most 512 characters',
  },
  'guardrails[].words': { about: 'words and phrases; they match as a whole, in any case', default: 'none' },
  'guardrails[].hook.url': { about: 'an address of yours that decides about texts' },
  'guardrails[].hook.headers': { about: 'headers for every call; never shown', default: 'none' },
  'guardrails[].hook.max_concurrency': { about: 'how many calls run at once; others wait', default: 64 },
  'guardrails[].hook.timeout_ms': {
    about: 'the longest time for a call',
    default: 3_000,
    unit: 'milliseconds',
  },
  'guardrails[].hook.on_error': {
    about: 'what to do with texts that could not be checked; with mode `observe` they always pass',
    default: 'refuse',
  },
  'guardrails[].hook.window': {
    about: 'how much of a stream is checked, and held back, at a time',
    default: 1_000,
    unit: 'characters',
  },
  'guardrails[].moderation.model': {
    about: 'the code of a moderation model that judges texts; callers do not pay for it',
  },
  'guardrails[].moderation.categories': { about: 'the categories that count', default: 'all' },
  'guardrails[].moderation.thresholds': {
    about: 'the score from which a category counts, 0 to 1',
    default: 'the model’s own word',
  },
  'guardrails[].moderation.timeout_ms': {
    about: 'the longest time for a call',
    default: 10_000,
    unit: 'milliseconds',
  },
  'guardrails[].moderation.on_error': {
    about: 'what to do with texts that could not be checked; with mode `observe` they always pass',
    default: 'refuse',
  },
  'guardrails[].moderation.window': {
    about: 'how much of a stream is checked, and held back, at a time',
    default: 1_000,
    unit: 'characters',
  },
  ...MCP_SETTINGS,
  'models[].code': {
    about: 'what callers write in `model`; `openai/*` stands for every name that begins with `openai/`',
  },
  'models[].aliases': { about: 'other names of the model', default: 'none' },
  'models[].kind': { about: 'the kind of model; required for a model that is not built in' },
  'models[].description': { about: 'a sentence that describes the model', default: 'none' },
  'models[].body': {
    about:
      'the format of its requests: for a video model `content`, `input`, `image-urls`, `omni`, `prompt` or `seconds`, of an image model `prompt` or `messages`',
  },
  'models[].voices': { about: 'the voices of a speech model', default: 'none' },
  'models[].limits.max_input_tokens': { about: 'the most input of one request', default: 1_048_576, unit: 'tokens' },
  'models[].limits.max_output_tokens': {
    about: 'the most output of one answer; higher caps are lowered to it',
    default: 131_072,
    unit: 'tokens',
  },
  'models[].limits.max_reasoning_tokens': {
    about: 'reasoning that the vendor bills beyond a request’s cap',
    default: 0,
    unit: 'tokens',
  },
  'models[].limits.max_image_tokens': {
    about: 'the most tokens of one image in a request',
    default: 10_000,
    unit: 'tokens',
  },
  'models[].limits.max_web_searches': { about: 'the most web searches of one request', default: 30 },
  'models[].limits.max_tool_rounds': {
    about: 'how often the vendor bills the context again while it runs its own tools',
    default: 1,
  },
  'models[].limits.*': {
    about:
      'shown to callers unchanged, and checked if the kind knows it: `inputs`, `durations`, `resolutions`, `default_resolution`, `sizes`, `max_images`, …',
  },
  'models[].created': { about: 'when it was published, for lists', default: '2026-11-01T00:00:00Z' },
  'models[].deadline_hours': {
    about: 'after this time, an open task ends',
    default: 'tasks.deadline_hours',
    unit: 'hours',
  },
  'models[].cache.ttl_seconds': {
    about:
      'of chat and embedding models: how long an answer is kept, at most a day, and returned for the same request of the same owner; without `cache` nothing is kept',
    unit: 'seconds',
  },
  'models[].cache.when': {
    about:
      'for chat: `deterministic` keeps answers at temperature 0 without tools that the vendor runs, `always` keeps all answers; for an embedding it has no effect',
    default: 'deterministic',
  },
  'models[].cache.share': {
    about: 'the price of a cached answer as a share of the original price, from 0 to 1',
    default: 0,
  },
  'models[].usual_seconds': {
    about: 'how long a task usually takes; the gateway first asks the vendor after this time',
    default: 'not known',
    unit: 'seconds',
  },
  'models[].offers[].account': { about: 'the name of the account that serves it' },
  'models[].offers[].model': {
    about: 'the vendor’s name of the model; in a wildcard’s offer, `*` is the text that the code’s `*` matched',
  },
  'models[].offers[].dialect': {
    about: 'chat: the API format of requests to the vendor',
    default: 'the account’s dialects',
  },
  'models[].offers[].dialects': {
    about: 'chat: several API formats, the preferred one first; the caller’s own format is preferred to all',
  },
  'models[].offers[].priority': { about: 'the smallest is tried first', default: 1 },
  'models[].offers[].weight': { about: 'its share among offers of one priority', default: 1 },
  'models[].offers[].quirks': {
    about: 'special properties of this vendor model, by the names that its adapter declares',
  },
  'models[].price.input': {
    about: 'input tokens; `price: free` instead of all prices means that the model is free; an entry needs one of them',
    unit: PER_MILLION,
  },
  'models[].price.cached_input': {
    about: 'input tokens read from the vendor’s cache',
    default: 'as input',
    unit: PER_MILLION,
  },
  'models[].price.cached_input_audio': {
    about: 'audio tokens read from the vendor’s cache',
    default: 'as cached_input',
    unit: PER_MILLION,
  },
  'models[].price.cached_input_image': {
    about: 'image tokens read from the vendor’s cache',
    default: 'as cached_input',
    unit: PER_MILLION,
  },
  'models[].price.cache_write': {
    about: 'input tokens written to the vendor’s cache',
    default: 'as input',
    unit: PER_MILLION,
  },
  'models[].price.cache_write_1h': {
    about: 'input tokens written to a cache that lasts an hour',
    default: 'twice input',
    unit: PER_MILLION,
  },
  'models[].price.output': { about: 'output tokens', unit: PER_MILLION },
  'models[].price.reasoning': { about: 'reasoning tokens', default: 'as output', unit: PER_MILLION },
  'models[].price.output_tokens': { about: 'tokens of a video', unit: PER_MILLION },
  'models[].price.input_audio': { about: 'audio tokens in a request', default: 'as input', unit: PER_MILLION },
  'models[].price.output_audio': { about: 'audio tokens in an answer', default: 'as output', unit: PER_MILLION },
  'models[].price.input_image': { about: 'image tokens in a request', default: 'as input', unit: PER_MILLION },
  'models[].price.output_image': { about: 'image tokens in an answer', default: 'as output', unit: PER_MILLION },
  'models[].price.image': { about: 'an image', unit: 'US dollars' },
  'models[].price.second': { about: 'a second of video', unit: 'US dollars' },
  'models[].price.video': { about: 'a video', unit: 'US dollars' },
  'models[].price.character': { about: 'a million characters that are spoken', unit: 'US dollars' },
  'models[].price.web_search': { about: 'a search', unit: 'US dollars' },
  'models[].price.cache_storage': {
    about: 'a million tokens of a cached content for an hour; without it the model has no cached contents',
    unit: 'US dollars',
  },
  'models[].price.search_unit': { about: 'a query over up to 100 documents', unit: 'US dollars' },
  'models[].price.resolution_factors': {
    about:
      'by resolution or size class: `{ 1080p: 2 }`; of a video 1 for what else `limits.resolutions` lists, and the highest for a class that the row does not name',
    default: 1,
    unit: 'factor',
  },
  'models[].price.audio_factor': { about: 'for videos with audio', default: 1, unit: 'factor' },
  'models[].price.batch': {
    about: 'multiplies token prices of requests in the vendor’s own batches',
    unit: 'factor',
  },
  'models[].price.long_context.above': { about: 'input beyond which the two factors below apply', unit: 'tokens' },
  'models[].price.long_context.input': { about: 'multiplies the prices of input', unit: 'factor' },
  'models[].price.long_context.output': { about: 'multiplies the prices of output', unit: 'factor' },
  'models[].price.factors.service_tier': {
    about: 'by value; a value without a factor costs as much as the highest one here',
    unit: 'factor',
  },
  'models[].price.factors.speed': { about: 'by value, likewise', unit: 'factor' },
  'models[].price.factors.inference_geo': { about: 'by value, likewise', unit: 'factor' },
  'models[].price.factors.anthropic-beta': {
    about: 'by value; a value without a factor costs the usual price',
    unit: 'factor',
  },
  ...timeouts('models[].timeout_seconds', ['the account’s', 'the account’s', 'the account’s']),
  'models[].headers': { about: 'like those of an account, which they override' },
  'models[].body_fields': { about: 'like those of an account, which they override; chat models only' },
  'models[].routes[].model': { about: 'the code that requests go to' },
  'models[].routes[].when.keys': { about: 'names of keys; `*` stands for any characters' },
  'models[].routes[].when.groups': { about: 'groups of keys' },
  'models[].routes[].when.tags': { about: 'by tag: values, `*` stands for any characters' },
  'models[].routes[].when.inputs': { about: 'the request has at least one of them' },
  'models[].routes[].when.input_tokens.from': { about: 'the input has at least this many', unit: 'tokens' },
  'models[].routes[].when.input_tokens.below': { about: 'the input has fewer than this than this', unit: 'tokens' },
  'models[].routes[].when.regions': { about: 'values of `server.region`' },
  'models[].routes[].when.time.from': { about: 'a time of day such as `22:00`', default: '00:00' },
  'models[].routes[].when.time.until': {
    about: 'a time of day, not included; if it is before `from`, it is on the next day',
    default: '24:00',
  },
  'models[].routes[].when.time.days': { about: 'days of the week on which the period begins', default: 'all' },
  'models[].routes[].when.time.zone': { about: 'the time zone: `Europe/Berlin`', default: 'UTC' },
  'models[].routes[].priority': { about: 'the smallest is tried first', default: 1 },
  'models[].routes[].weight': { about: 'its share among routes of one priority', default: 1 },
  'models[].fallbacks.on_error': { about: 'models to use when all others failed' },
  'models[].fallbacks.on_context_too_long': { about: 'models to use when the input is too long for the model' },
  'models[].fallbacks.on_content_refusal': { about: 'models to use when the vendor refuses the content' },
  'models[].strategy': { about: 'how routes or offers of one priority are ordered', default: 'weighted' },
  'models[].affinity': {
    about: '`prefix`: conversations with the same beginning go to the same account; chat models only',
    default: '`prefix` for weighted chat rows with several offers and a price of cached input, else `none`',
  },
  'models[].source': {
    about: 'the source of its price and limits; `unverified` if nobody has checked them, and then without `checked`',
  },
  'models[].checked': { about: 'the day when they were last compared with their source: `2026-11-25`' },
  'models[].deprecated': { about: 'the day when its vendor deprecated it: answers say so in the header `deprecation`' },
  'models[].retires': { about: 'the day when its vendor ends it: answers say so in the header `sunset`' },
  'models[].prompt_cache': {
    about:
      '`auto`: for vendors whose prompt cache must be requested (Anthropic), the gateway caches translated conversations from their second turn on, if the prices make it cheaper; chat models only',
    default: 'auto',
  },
  'models[].on_break': {
    about: '`continue`: another offer or route continues a stream that breaks off; chat models only',
    default: 'error',
  },
  'models[].hedge.percentile': {
    about:
      'a second vendor is asked if an answer takes longer to begin than this percentage of answers; chat models only',
    default: 95,
  },
  'models[].hedge.budget': {
    about: 'the share of requests that may have a second request, 0 to 1, plus ten; 0 allows only those ten',
    default: 0.1,
  },
  'models[].retries.attempts': { about: 'how many vendor requests one request may cause', default: 4 },
  'models[].retries.on': { about: 'faults after which another attempt is allowed', default: 'all but `empty_answer`' },
  'models[].retries.budget': {
    about: 'the share of requests that may be further attempts, 0 to 1, plus ten',
    default: 0.1,
  },
  'models[].timeout_seconds.first_token': {
    about: 'the longest wait of one attempt for a stream’s first event; chat models only',
    default: 'none',
    unit: 'seconds',
  },
  'models[].timeout_seconds.total': {
    about: 'the longest wait of all attempts together for an answer or the beginning of a stream; chat models only',
    default: 'none',
    unit: 'seconds',
  },
  default_model: { about: 'the chat model for unknown names', default: 'none: they are refused' },
};
