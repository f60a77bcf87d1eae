import {
  readDialectFault,
  SERVICE_ACCOUNT_CREDENTIALS,
  serviceAccountToken,
  STREAM_KEEPS_BILLING,
  type Account,
  type VendorAdapter,
} from '@model-gateway/provider-kit';
import { isJsonObject } from '@model-gateway/contracts';
import { readFault as readGoogleFault } from '../fault.ts';
import { vertexBaseUrl } from './addresses.ts';
import { googleToken } from './google-auth.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** Vertex AI: Google's models, Claude, and what partners serve there, under a Google Cloud project. */
export const vertex: VendorAdapter = {
  id: 'vertex',
  ...CAPABILITIES,
  identifiers: ['project_id'],
  declares: {
    title: 'Google Vertex AI',
    telemetryName: 'gcp.vertex_ai',
    baseUrl: vertexBaseUrl,
    credentials: {
      ...SERVICE_ACCOUNT_CREDENTIALS,
      credentials_file: {
        about:
          'A file as `GOOGLE_APPLICATION_CREDENTIALS` names it: workload identity federation, a user’s own, a service account.',
        secret: false,
      },
      api_key: { about: 'A key of Vertex AI in express mode, which names its project itself.', secret: true },
    },
    sufficient: [
      ['client_email', 'private_key', 'project'],
      ['service_account', 'project'],
      ['client_email', 'private_key', 'project_id'],
      ['service_account', 'project_id'],
      ['credentials_file', 'project'],
      ['metadata_server', 'project'],
      ['api_key'],
    ],
    settings: {
      project: { type: 'text', about: 'The Google Cloud project that is billed.' },
      location: { type: 'text', about: 'A region, `global`, `us` or `eu`; global unless said.' },
      api_version: { values: ['v1', 'v1beta1'], about: 'The version in the path; v1 unless said.' },
      metadata_server: {
        values: ['default'],
        about:
          'Tokens come from the metadata server of the machine: Compute Engine, Cloud Run, workload identity of GKE.',
      },
    },
    streamCancellation: () => STREAM_KEEPS_BILLING,
    quirks: {
      ...QUIRKS,
      images: { image_size: { type: 'flag', about: 'Whether the model makes more than one size.' } },
    },
  },
  authorize(request, account, now) {
    const key = account.credentials['api_key'] ?? '';
    if (key !== '') return { 'x-goog-api-key': key };
    const token = isOfLibrary(account)
      ? googleToken(account, now)
      : serviceAccountToken(account, request.send, now, false);
    return token.then((value) => ({ authorization: `Bearer ${value}` }));
  },
  readFault(reply) {
    const json = Array.isArray(reply.json) ? reply.json[0] : reply.json;
    // Claude's own refusals come in Anthropic's words, the platform's in Google's.
    const isGoogles = isJsonObject(json) && isJsonObject(json['error']) && json['type'] !== 'error';
    return isGoogles ? readGoogleFault(reply) : readDialectFault(reply);
  },
};

function isOfLibrary({ credentials, settings }: Account): boolean {
  return (credentials['credentials_file'] ?? '') !== '' || (settings['metadata_server'] ?? '') !== '';
}
