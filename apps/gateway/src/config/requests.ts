/** What the log of requests keeps, and for how long. */
import { encryptionKeyFile, USUAL_DATABASE } from './encryption-key.ts';
import type { SaidFault } from './fault.ts';
import { given, type Environment } from './interpolate.ts';
import type { ConfigFile, REQUEST_LOGS } from './schema.ts';
import type { ConfigSource } from './source.ts';

const USUAL_DAYS = 30;
const USUAL_BODY_DAYS = 7;
const USUAL_BODY = 64 * 1024;

export interface RequestLogSettings {
  readonly log: (typeof REQUEST_LOGS)[number];
  readonly keepDays: number;
  readonly bodiesKeepDays: number;
  /** Characters of a prompt, and of an answer. */
  readonly bodyLimit: number;
}

/** The section with what it leaves unsaid. */
export function requestsOf(section: ConfigFile['requests']): RequestLogSettings {
  const keepDays = section?.keep_days ?? USUAL_DAYS;
  return {
    log: section?.log ?? 'metadata',
    keepDays,
    bodiesKeepDays: section?.bodies_keep_days ?? Math.min(USUAL_BODY_DAYS, keepDays),
    bodyLimit: section?.body_limit ?? USUAL_BODY,
  };
}

/** What is wrong with a section that has the right form: prompts and answers are never kept in the clear, nor longer than their requests. */
export function requestFaults(own: ConfigSource | undefined, env: Environment): readonly SaidFault[] {
  const { requests, security, database } = (own?.value ?? {}) as Pick<ConfigFile, 'requests' | 'security' | 'database'>;
  if (own === undefined || typeof requests !== 'object') return [];
  const url = given(env['DATABASE_URL']) ?? database?.url ?? USUAL_DATABASE;
  const hasKey =
    given(env['GATEWAY_ENCRYPTION_KEY']) !== undefined ||
    security?.encryption_key !== undefined ||
    // The gateway makes one there.
    encryptionKeyFile(url) !== undefined;
  const { keep_days: days = USUAL_DAYS, bodies_keep_days: bodyDays } = requests;
  return [
    ...(requests.log === 'bodies' && !hasKey
      ? [
          own.said({
            path: ['requests', 'log'],
            message:
              "'bodies' needs security.encryption_key (openssl rand -base64 32), or GATEWAY_ENCRYPTION_KEY: prompts and answers are kept encrypted",
          }),
        ]
      : []),
    ...(bodyDays !== undefined && bodyDays > days
      ? [
          own.said({
            path: ['requests', 'bodies_keep_days'],
            message: `expected no more than requests.keep_days, which is ${days}`,
          }),
        ]
      : []),
  ];
}
