import { readDialectFault, type Fault, type FaultWords, type UpstreamReply } from '@model-gateway/provider-kit';

/** OpenAI's own words beside those of its dialect (docs/wire/openai-chat.md#errors, docs/wire/images.md#openai-image-errors), and Azure's. */
const WORDS: FaultWords = {
  organization_deactivated: 'upstream_rejected_key',
  project_not_found: 'upstream_rejected_key',
  invalid_organization: 'upstream_rejected_key',
  quota_exceeded: 'upstream_rejected_key',
  organization_must_be_verified: 'upstream_rejected_key',
  vector_store_timeout: 'upstream_timeout',
  server_overloaded: 'upstream_unavailable',
  // Azure's (docs/wire/azure.md#errors).
  contentfilter: 'content_refused',
  responsibleaipolicyviolation: 'content_refused',
  deploymentnotfound: 'upstream_rejected_model',
  operationnotsupported: 'upstream_rejected_model',
  permissiondenied: 'upstream_rejected_key',
};

/** The refusal in a reply of OpenAI, also in a 200 (a failed Responses object, a stream's error event). Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  return readDialectFault(reply, WORDS);
}
