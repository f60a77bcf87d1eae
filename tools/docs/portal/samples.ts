/** The same call in each language. They are run against a gateway by a test. */
import type { Example, ExampleRequest, Operation } from './document.ts';
import { addressOf, BASE_URL, fileName, isFile, keyOf, savedTo, streams, type Called } from './called.ts';
import { jsonText } from './literal.ts';
import type { CodeTab } from './code.ts';
import { python } from './samples-python.ts';
import { ourClient } from './samples-client.ts';
import { anthropic, genAi, openAi } from './samples-sdk.ts';

/** The call of an example, or of an operation without a body. */
export function calledBy(operation: Operation, example: Example | undefined, form = false): Called {
  const request: ExampleRequest = example?.['x-request'] ?? {};
  const given = (place: 'path' | 'query' | 'headers', name: string, fallback: unknown): string => {
    const value = request[place]?.[name] as string | number | undefined;
    return String(value === undefined || String(value).startsWith('$') ? fallback : value);
  };
  const named = (place: 'path' | 'query'): Record<string, string> =>
    Object.fromEntries(
      operation.parameters
        .filter(
          (parameter) =>
            parameter.in === place && (parameter.required === true || request[place]?.[parameter.name] !== undefined),
        )
        .map(({ name, example: fallback }) => [name, given(place, name, fallback ?? name)]),
    );
  return {
    operation,
    path: named('path'),
    query: named('query'),
    headers: request.headers ?? {},
    body: example?.value as Record<string, unknown> | undefined,
    form,
  };
}

/** Every language that has a way to say it; curl always. */
export function samplesOf(called: Called): readonly CodeTab[] {
  const ours = ourClient(called);
  const sdk = { openai: openAi(called), anthropic: anthropic(called), genai: genAi(called) };
  return [
    { label: 'curl', language: 'sh', code: curl(called) },
    ...Object.entries(sdk).flatMap(([label, code]) => (code === undefined ? [] : [{ label, language: 'js', code }])),
    { label: 'Python', language: 'python', code: python(called) },
    ...(ours === undefined ? [] : [{ label: 'client', language: 'ts', code: ours }]),
  ];
}

// ---- curl ----------------------------------------------------------------------------------------------------------

function curl(called: Called): string {
  const { operation, body, form, headers } = called;
  const key = keyOf(operation);
  const binary = savedTo(operation);
  const parts = [
    `curl ${streams(called) ? '-N ' : ''}${operation.method === 'get' || operation.method === 'post' ? '' : `-X ${operation.method.toUpperCase()} `}'${BASE_URL}${addressOf(called)}'`,
    ...(key === undefined ? [] : [`-H 'authorization: Bearer ${key}'`]),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
  ];
  if (form && body !== undefined) {
    for (const [name, value] of Object.entries(body))
      parts.push(`-F '${name}=${isFile(value) ? `@${fileName(name)}` : String(value)}'`);
  } else if (body !== undefined) {
    parts.push(`-H 'content-type: application/json'`, `-d '${jsonText(body).replace(/'/g, "'\\''")}'`);
  } else if (operation.method === 'post') parts.push('-X POST');
  if (binary !== undefined) parts.push(`-o ${binary}`);
  return parts.join(' \\\n  ');
}
