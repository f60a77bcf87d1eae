/** The configuration of both versions: the fixture's rows name its keys, accounts and models. */
import type { VendorTwin } from '@model-gateway/vendor-twin';

export const KEY = 'sk-upgrade-0123456789abcdef0123';
export const CAPPED_KEY = 'sk-upgrade-capped-0123456789abcdef';
export const ADMIN_KEY = 'admin-upgrade-0123456789abcdef';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

interface UpgradeConfig {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly twin: Pick<VendorTwin, 'baseUrl' | 'credentials'>;
  readonly port?: number;
  /** Versions before layers refuse the word `extends`, and mean the same without it. */
  readonly knowsLayers?: boolean;
}

/** Text of gateway.yaml; `twin` answers for every vendor. */
export function configText({ databaseUrl, folder, twin, port = 0, knowsLayers = true }: UpgradeConfig): string {
  const account = (id: number, vendor: 'openai' | 'ark' | 'tencent-vod'): string =>
    JSON.stringify({ id, name: vendor, vendor, base_url: twin.baseUrl(vendor), credentials: twin.credentials(vendor) });
  return `server: { port: ${port}, drain_seconds: 5 }
database: { url: '${databaseUrl}' }
tasks: { poll_seconds: 0.5 }
files: { folder: '${folder}/files', copy_results: true }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys:
  - { name: upgrade, key: ${KEY}, owner: 1, webhook_secret: ${SECRET} }
  - { name: capped, key: ${CAPPED_KEY}, owner: 2, limits: { spend_per_day: 50 } }
${knowsLayers ? 'extends: none' : ''}
accounts:
  - ${account(1, 'openai')}
  - ${account(4, 'ark')}
  - ${account(6, 'tencent-vod')}
models:
  - { code: chat, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], limits: { max_output_tokens: 4096 }, price: { input: 1, output: 2 } }
  - { code: doubao-seedance-2-0-fast, kind: video, body: content, usual_seconds: 1, limits: { durations: { min: 4, max: 15, default: 5 } }, offers: [{ account: ark, model: doubao-seedance-2-0-fast-260128 }], price: { output_tokens: 2 } }
  - { code: kling-v3-omni, kind: video, body: omni, usual_seconds: 1, limits: { omni: true, durations: { min: 3, max: 15, default: 5 } }, offers: [{ account: tencent-vod, model: Kling/3.0-Omni }], price: { second: 0.1 } }
`;
}
