import { generateKeyPairSync } from 'node:crypto';
import type { TwinVendor } from './core/vendors.ts';

/** Credentials by the vendors' own names, as an account of the gateway would hold them (design.md §4). */
export type TwinCredentials = Readonly<Record<string, string>>;

const apiKey = (vendor: string): TwinCredentials => ({ api_key: `sk-twin-${vendor}-0123456789` });

let serviceAccount: TwinCredentials | undefined;

/** A Google service account with a key pair of its own for every process; `token_uri` is the twin's (`VendorTwin.credentials`). */
function googleServiceAccount(): TwinCredentials {
  if (serviceAccount === undefined) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    serviceAccount = {
      type: 'service_account',
      project_id: 'twin-project',
      private_key_id: 'twin-key-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      client_email: 'gateway@twin-project.iam.gserviceaccount.com',
      token_uri: 'https://oauth2.googleapis.com/token',
    };
  }
  return serviceAccount;
}

/** The one set of credentials each vendor of the twin knows; everything else is refused as the vendor refuses it. */
export const TWIN_CREDENTIALS: Readonly<Record<TwinVendor, TwinCredentials>> = {
  openai: apiKey('openai'),
  anthropic: apiKey('anthropic'),
  gemini: apiKey('gemini'),
  ark: apiKey('ark'),
  dashscope: apiKey('dashscope'),
  veo: apiKey('veo'),
  get vertex() {
    return googleServiceAccount();
  },
  kie: apiKey('kie'),
  'tencent-vod': {
    secret_id: 'AKIDtest0000000000000000000000000000',
    secret_key: 'testSecretKey0123456789',
    sub_app_id: '1500000001',
  },
  kling: { access_key: 'ak-test', secret_key: 'sk-test' },
  minimax: apiKey('minimax'),
  mimo: apiKey('mimo'),
  xai: apiKey('xai'),
};

/** The API key of a vendor that has one. */
export function apiKeyOf(vendor: TwinVendor): string {
  return TWIN_CREDENTIALS[vendor]['api_key'] ?? '';
}
