/** The document as the house publishes it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@model-gateway/contracts';

let document: JsonObject | undefined;

/** One self-contained OpenAPI 3.1 document, read once. It is shared: copy it before it is changed. */
export function openApiDocument(): JsonObject {
  return (document ??= JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve('@model-gateway/contracts/openapi.json')), 'utf8'),
  ) as JsonObject);
}
