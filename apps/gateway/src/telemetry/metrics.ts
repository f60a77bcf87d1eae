/** Every metric there is: its kind, unit, labels and what it says. docs/guides/observability.md has the same table for people; a test compares both with a live page. */

export interface MetricInfo {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** UCUM, as OpenTelemetry writes units. */
  readonly unit: string;
  readonly description: string;
  /** Of a histogram; seconds of requests when absent. */
  readonly bounds?: readonly number[];
}

/** From a cache's answer to an hour of video. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600];
/** The bounds below are those of OpenTelemetry's conventions for generative AI. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const DURATION = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const FIRST_TOKEN = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const PER_TOKEN = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];

const counter = (unit: string, description: string): MetricInfo => ({ kind: 'counter', unit, description });
const gauge = (unit: string, description: string): MetricInfo => ({ kind: 'gauge', unit, description });
const histogram = (unit: string, description: string, bounds: readonly number[] = SECONDS): MetricInfo => ({
  kind: 'histogram',
  unit,
  description,
  bounds,
});

export const METRICS: Readonly<Record<string, MetricInfo>> = {
  gateway_requests: counter('{request}', 'Requests answered, by operation and status'),
  gateway_request_seconds: histogram('s', 'Time from a request to the end of its answer'),
  gateway_first_byte_seconds: histogram('s', 'Time from a request to the first byte of a streamed answer'),
  gateway_requests_in_flight: gauge('{request}', 'Requests that are being answered'),
  'gen_ai.server.request.duration': histogram('s', 'Time from a generation request to the end of its answer', DURATION),
  'gen_ai.server.time_to_first_token': histogram(
    's',
    'Time to the first event of a stream that succeeded',
    FIRST_TOKEN,
  ),
  'gen_ai.server.time_per_output_token': histogram(
    's',
    'Time for each token after the first of a stream that succeeded',
    PER_TOKEN,
  ),
  'gen_ai.client.token.usage': histogram('{token}', 'Tokens of an answer, as billed', TOKENS),
  gateway_account_input_tokens_total: counter(
    '{token}',
    'Input tokens of accounts whose vendor reports its prompt cache: read from the cache (hit) or not (miss)',
  ),
  gateway_response_cache: counter(
    '{request}',
    'Requests to models with a response cache: answered from the cache (hit) or not (miss)',
  ),
  gateway_guardrail_checks: counter('{check}', 'Checks by hooks and moderation models of guardrails, by result'),
  gateway_guardrail_check_seconds: histogram('s', 'Time that hooks and moderation models took to check texts'),
  gateway_mcp_calls: counter('{call}', 'Tool calls to MCP servers, by result'),
  gateway_mcp_call_seconds: histogram('s', 'Time of tool calls to MCP servers'),
  gateway_mcp_list_failures: counter('{list}', 'Lists that an MCP server failed to return'),
  gateway_usage_total: counter('1', 'Billed usage other than input and output tokens, by its name in the bill'),
  gateway_charged_dollars_total: counter('USD', 'Money charged, in US dollars; mode "test" is not real money'),
  gateway_spend_dollars_total: counter('USD', 'Money charged, by who spent it, in US dollars'),
  gateway_spend_requests_total: counter('{request}', 'Requests that were charged, by who made them'),
  gateway_spend_tokens_total: counter('{token}', 'Tokens of requests that were charged, by who used them'),
  gateway_pictures_not_kept_total: counter(
    '{picture}',
    'Images of chat answers that could not be stored; the answer has their bytes instead of a link',
  ),
  gateway_usage_reports_capped_total: counter(
    '{report}',
    'Usage reports of vendors that were rejected: higher than possible, or not valid counts',
  ),
  gateway_dropped_parameters_total: counter(
    '{request}',
    'Requests with a parameter that the vendor did not get as it was sent, by parameter',
  ),
  gateway_upstream_attempts_total: counter(
    '{attempt}',
    'Requests to vendors; dialect is empty for requests other than chat',
  ),
  gateway_upstream_failures_total: counter('{attempt}', 'Requests to vendors that failed, by error code'),
  gateway_continued_streams_total: counter(
    '{request}',
    'Streams that broke off and were continued, by the model that continued them',
  ),
  gateway_hedged_requests_total: counter(
    '{request}',
    'Chat requests that were sent to a second vendor as a hedge, by whose answer began first',
  ),
  gateway_routed_requests_total: counter('{request}', 'Answers to requests with routes, by how the model was chosen'),
  gateway_maintenance_jobs_running: gauge('{job}', 'Maintenance jobs that run in this process'),
  gateway_maintenance_jobs_total: counter('{job}', 'Maintenance jobs that have ended, by kind and state'),
  gateway_account_cool_downs_total: counter('{cool_down}', 'How often all models of a vendor account cooled down'),
  gateway_account_cooling: gauge('1', '1 while all models of a vendor account are cooling down'),
  gateway_account_cooling_models: gauge('{model}', 'Models of a vendor account that are cooling down'),
  gateway_account_in_flight: gauge('{request}', 'Running requests to a vendor account'),
  gateway_account_queued: gauge('{request}', 'Requests that wait for a vendor account with no free slot'),
  gateway_account_capacity: gauge(
    '{request}',
    'The limit of concurrent requests of a vendor account (max_concurrency)',
  ),
  gateway_account_budget_used: gauge('1', 'Share of a budget of a vendor account that is used, 0 to 1'),
  gateway_tasks_open: gauge('{task}', 'Tasks that have not ended, in the whole database'),
  gateway_tasks_due: gauge('{task}', 'Tasks that are due and not being polled, in the whole database'),
  gateway_tasks_waiting: gauge('{task}', 'Tasks that wait for room at a vendor account, in the whole database'),
  gateway_task_queue_seconds: histogram('s', 'Time that a task waited for room at its vendor account'),
  gateway_task_poll_lag_seconds: gauge('s', 'How long the most overdue task has waited for its poll'),
  gateway_task_polls_running: gauge('{poll}', 'Running polls of this process'),
  gateway_task_polls_total: counter('{poll}', 'Polls of tasks, by result'),
  gateway_task_poll_seconds: histogram('s', 'Time that a poll took'),
  gateway_task_unknown_words_total: counter('{poll}', 'Polls answered with an unknown status'),
  gateway_task_submission_unknown_total: counter(
    '{task}',
    'Tasks for which it is unknown whether the vendor accepted them',
  ),
  gateway_tasks_ended_total: counter('{task}', 'Tasks that ended, by state'),
  gateway_task_seconds: histogram('s', 'Time from a task to its end'),
  gateway_webhooks_pending: gauge('{webhook}', 'Webhooks that are not delivered yet, in the whole database'),
  gateway_webhook_lag_seconds: gauge('s', 'How long the most overdue webhook attempt has waited'),
  gateway_webhooks_running: gauge('{webhook}', 'Running webhook attempts of this process'),
  gateway_webhook_attempts_total: counter('{attempt}', 'Webhook attempts, by outcome'),
  gateway_leases_open: gauge('{lease}', 'Leases: parts of balances that processes hold, in the whole database'),
  gateway_leases_dollars: gauge('USD', 'Money in open leases that is not spent, in US dollars'),
  gateway_leases_expired: gauge('{lease}', 'Open leases of processes that no longer respond'),
  gateway_database_up: gauge('1', '1 if the database answered the queries of the gauges'),
  gateway_database_connections: gauge('{connection}', 'Connections of this process to PostgreSQL, by state'),
  gateway_database_waiting: gauge('{request}', 'Queries that wait for a connection to PostgreSQL'),
  gateway_usage_export_files_total: counter('{file}', 'Files of usage rows, by outcome'),
  gateway_usage_export_lag_seconds: gauge('s', 'Age of the last complete run of the usage export'),
  gateway_telemetry_exports_total: counter('{export}', 'Exports to the OTLP collector, by signal and outcome'),
  gateway_invariant_violations: gauge('{violation}', 'Rows that violate an invariant, as of the last check'),
  gateway_request_log_dropped_total: counter('{request}', 'Requests that the request log had no room for'),
  gateway_request_contents_dropped_total: counter(
    '{request}',
    'Requests whose prompt and answer were dropped for lack of room',
  ),
  gateway_log_lines_dropped_total: counter('{line}', 'Log lines that were dropped because no reader took them in time'),
  gateway_build_info: gauge('1', 'Always 1; labels with the version and the Node.js version'),
  'nodejs.eventloop.delay.mean': gauge('s', 'Mean delay of the event loop in the last seconds'),
  'nodejs.eventloop.delay.p99': gauge('s', '99th percentile of the delay of the event loop in the last seconds'),
  'nodejs.eventloop.delay.max': gauge('s', 'Longest delay of the event loop in the last seconds'),
  'nodejs.eventloop.utilization': gauge('1', 'Share of time that the event loop was busy since the last scrape'),
  process_cpu_seconds_total: counter('s', 'Processor time of the process'),
  process_resident_memory_bytes: gauge('By', 'Resident memory of the process'),
  process_heap_bytes: gauge('By', 'JavaScript heap in use'),
  process_open_fds: gauge('{fd}', 'Open file descriptors (Linux)'),
  process_start_time_seconds: gauge('s', 'Start time of the process, in seconds since 1970'),
};
