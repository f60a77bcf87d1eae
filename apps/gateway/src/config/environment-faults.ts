/** What variables of the environment say, and what is wrong with them. */
import { isAddressRange } from '@model-gateway/core';
import { SHORTEST_ADMIN_KEY } from '../resources/admin-key/admin-key.ts';
import { telemetryFaults } from '../telemetry/settings.ts';
import type { SaidFault } from './fault.ts';
import { given, type Environment } from './interpolate.ts';
import {
  CONFIG_KEPT_IN,
  ENCRYPTION_KEY_FORM,
  isEncryptionKey,
  LOG_FORMATS,
  OPEN_METRICS,
  SHORTEST_METRICS_KEY,
  WORKERS_FORM,
} from './schema.ts';

const LAST_PORT = 65_535;

export function keysIn(said: string | readonly string[] | undefined): readonly string[] {
  if (said === undefined) return [];
  return typeof said === 'string' ? said.split(',').map((key) => key.trim()) : said;
}

export function proxiesIn(said: string | undefined): readonly string[] | undefined {
  return said?.split(',').map((range) => range.trim());
}

export function environmentFaults(env: Environment): readonly SaidFault[] {
  const port = given(env['PORT']);
  const format = given(env['LOG_FORMAT']);
  const kept = given(env['GATEWAY_CONFIG_SOURCE']);
  const workers = given(env['GATEWAY_WORKERS']);
  const short = (name: string, least: number): readonly SaidFault[] => {
    const { length } = given(env[name]) ?? ''.padEnd(least);
    return length >= least ? [] : [{ path: name, message: `it has ${length} characters and needs ${least} or more` }];
  };
  return [
    ...telemetryFaults(env).map((message) => ({ path: '', message })),
    ...(format === undefined || (LOG_FORMATS as readonly string[]).includes(format)
      ? []
      : [{ path: 'LOG_FORMAT', message: `'${format}' is none of ${LOG_FORMATS.join(', ')}` }]),
    ...(kept === undefined || (CONFIG_KEPT_IN as readonly string[]).includes(kept)
      ? []
      : [{ path: 'GATEWAY_CONFIG_SOURCE', message: `'${kept}' is none of ${CONFIG_KEPT_IN.join(', ')}` }]),
    ...(port === undefined || (/^\d{1,5}$/.test(port) && Number(port) <= LAST_PORT)
      ? []
      : [{ path: 'PORT', message: `'${port}' is no port number: take one from 1 to ${LAST_PORT}, or 0 for any` }]),
    ...(workers === undefined || /^(auto|[1-9]\d{0,3})$/.test(workers)
      ? []
      : [{ path: 'GATEWAY_WORKERS', message: WORKERS_FORM }]),
    ...(keysIn(given(env['GATEWAY_ENCRYPTION_KEY'])).every(isEncryptionKey)
      ? []
      : [{ path: 'GATEWAY_ENCRYPTION_KEY', message: ENCRYPTION_KEY_FORM }]),
    ...(proxiesIn(given(env['GATEWAY_TRUSTED_PROXIES'])) ?? [])
      .filter((range) => !isAddressRange(range))
      .map((range) => ({
        path: 'GATEWAY_TRUSTED_PROXIES',
        message: `'${range}' is no address or range such as 10.0.0.0/8`,
      })),
    ...short('GATEWAY_ADMIN_KEY', SHORTEST_ADMIN_KEY),
    ...(given(env['GATEWAY_METRICS_KEY']) === OPEN_METRICS ? [] : short('GATEWAY_METRICS_KEY', SHORTEST_METRICS_KEY)),
  ];
}
