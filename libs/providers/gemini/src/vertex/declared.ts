import {
  SERVICE_ACCOUNT_CREDENTIALS,
  STREAM_KEEPS_BILLING,
  type AccountDeclaration,
  type DeclaredVendor,
  type VendorDeclaration,
} from '@model-gateway/provider-kit';
import { vertexBaseUrl } from './addresses.ts';

/** What an account of Google Cloud may hold (docs/wire/vertex.md#credentials). */
export const GOOGLE_ACCOUNT: Pick<AccountDeclaration, 'credentials' | 'sufficient'> = {
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
};

export const METADATA_SERVER: NonNullable<VendorDeclaration['settings']> = {
  metadata_server: {
    values: ['default'],
    about: 'Tokens come from the metadata server of the machine: Compute Engine, Cloud Run, workload identity of GKE.',
  },
};

/** Vertex AI: Google's models, Claude, and what partners serve there, under a Google Cloud project. */
export const vertex: DeclaredVendor = {
  id: 'vertex',
  declares: {
    title: 'Google Vertex AI',
    telemetryName: 'gcp.vertex_ai',
    baseUrl: vertexBaseUrl,
    ...GOOGLE_ACCOUNT,
    regionSetting: 'location',
    settings: {
      project: { type: 'text', about: 'The Google Cloud project that is billed.' },
      location: { type: 'text', about: 'A region, `global`, `us` or `eu`; global unless said.' },
      api_version: { values: ['v1', 'v1beta1'], about: 'The version in the path; v1 unless said.' },
      ...METADATA_SERVER,
    },
    streamCancellation: () => STREAM_KEEPS_BILLING,
  },
};
