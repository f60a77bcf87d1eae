import {
  declareApiKey,
  SERVICE_ACCOUNT_CREDENTIALS,
  type Account,
  type AccountDeclaration,
  type DeclaredVendor,
} from '@model-gateway/provider-kit';

const GOOGLE = declareApiKey('https://generativelanguage.googleapis.com');
const VERTEX: AccountDeclaration = {
  baseUrl: 'https://us-central1-aiplatform.googleapis.com',
  credentials: SERVICE_ACCOUNT_CREDENTIALS,
  sufficient: [
    ['client_email', 'private_key', 'project'],
    ['service_account', 'project'],
    ['client_email', 'private_key', 'project_id'],
    ['service_account', 'project_id'],
  ],
};

/** kie.ai and Google name the same models in two ways. */
function refuseModel(model: string, wire: Wire): string | undefined {
  if (wire === 'kie') {
    return /^veo\d/.test(model)
      ? undefined
      : `'${model}' is not a model name kie.ai understands; it wants one of its own, such as veo3_fast`;
  }
  return /^veo-[^/]+$/.test(model)
    ? undefined
    : `'${model}' is not a model name Google understands; it wants one such as veo-3.1-generate-001`;
}

/** Google Veo through the Gemini API, Vertex AI or kie.ai, by the account's setting `wire`. */
export const veo: DeclaredVendor = {
  id: 'veo',
  declares: {
    title: 'Google Veo',
    platform: '41',
    ...GOOGLE,
    wires: { gemini: GOOGLE, vertex: VERTEX, kie: declareApiKey('https://api.kie.ai') },
    settings: {
      project: { type: 'text', about: 'The Google Cloud project that is billed (wire vertex).' },
      location: {
        type: 'text',
        about: 'The region in the path (wire vertex); the one in the address, else us-central1, unless said.',
      },
    },
    refuseModel: ({ model, settings }) => refuseModel(model, wireOf({ settings })),
  },
};

export type Wire = 'gemini' | 'vertex' | 'kie';

export function wireOf(account: Pick<Account, 'settings'>): Wire {
  const said = account.settings['wire'];
  return said === 'vertex' || said === 'kie' ? said : 'gemini';
}
