/** The document as the house publishes it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@model-gateway/contracts';

/** It is needed for the first request to each operation, and takes 3 MB. */
let recent: WeakRef<JsonObject> | undefined;

/** One self-contained OpenAPI 3.1 document, read again when nobody has it any more. It is shared: copy it before it is changed. */
export function openApiDocument(): JsonObject {
  const known = recent?.deref();
  if (known !== undefined) return known;
  const path = fileURLToPath(import.meta.resolve('@model-gateway/contracts/openapi.json'));
  const document = JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
  recent = new WeakRef(document);
  return document;
}
