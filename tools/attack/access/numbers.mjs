/** Integers beyond what a database keeps, in every admin operation that takes some; and one key that signs in again and again. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readFileSync } from 'node:fs';
import { ADMIN_KEY, ask, KEYS, startWatched } from '../exhaustion/gateway.mjs';

const DOCUMENT = new URL('../../../libs/contracts/src/generated/openapi.json', import.meta.url);
const SIZES = [2 ** 53, 2 ** 63, 1e300, -(2 ** 63)];
const SIGN_INS = { whole: 600, short: 300 };
const MOST_SESSIONS = 256;

export async function outgrow({ short }) {
  const gateway = await startWatched();
  try {
    const questions = questionsOf(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
    const broken = [];
    for (const { method, path, body } of questions) {
      const { status } = await ask(gateway.url, path, {
        key: ADMIN_KEY,
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (status >= 500 || status === 0) broken.push(`${method} ${path} ${JSON.stringify(body ?? {})}: ${status}`);
    }
    for (let count = 0; count < SIGN_INS[short ? 'short' : 'whole']; count++)
      await ask(gateway.url, '/console/session', { key: KEYS[0], body: '{}' });
    const sessions = sessionsIn(join(gateway.folder, 'gateway.db'));
    const faults = broken.map((each) => `${each} for a number that is too large`);
    if (sessions > MOST_SESSIONS) faults.push(`${sessions} sessions of one key are kept`);
    return {
      measured: `${broken.length} of ${questions.length} requests are server errors; ${sessions} sessions kept of one key’s ${SIGN_INS[short ? 'short' : 'whole']}`,
      faults,
    };
  } finally {
    await gateway.stop();
  }
}

/** Each admin operation with one integer of its body, query or path beyond bounds, and the rest of its body as small as can be. */
function questionsOf(document) {
  const schemaAt = (schema) =>
    schema?.$ref === undefined
      ? schema
      : schemaAt(
          schema.$ref
            .slice(2)
            .split('/')
            .reduce((at, name) => at[name], document),
        );
  const isInteger = (schema) => [schemaAt(schema)?.type].flat().includes('integer');
  const questions = [];
  for (const [path, methods] of Object.entries(document.paths).filter(([each]) => each.startsWith('/admin/')))
    for (const [method, operation] of Object.entries(methods)) {
      const parameters = [...(methods.parameters ?? []), ...(operation.parameters ?? [])].map(schemaAt);
      const { properties = {}, required = [] } =
        schemaAt(operation.requestBody?.content?.['application/json']?.schema) ?? {};
      const least = Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => required.includes(name))
          .map(([name, schema]) => [name, isInteger(schema) ? 1 : 'x']),
      );
      const at = path.replaceAll(/\{\w+\}/g, '1');
      for (const size of SIZES) {
        const ask = { method: method.toUpperCase() };
        for (const [name, schema] of Object.entries(properties))
          if (isInteger(schema)) questions.push({ ...ask, path: at, body: { ...least, [name]: size } });
        for (const { name, in: place, schema } of parameters.filter((each) => isInteger(each.schema)))
          questions.push({
            ...ask,
            path:
              place === 'path' ? path.replace(`{${name}}`, size).replaceAll(/\{\w+\}/g, '1') : `${at}?${name}=${size}`,
            ...(operation.requestBody !== undefined && { body: least }),
          });
      }
    }
  return questions.filter(({ method }) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method));
}

function sessionsIn(file) {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('select count(*) as count from console_sessions').get().count;
  } finally {
    database.close();
  }
}
