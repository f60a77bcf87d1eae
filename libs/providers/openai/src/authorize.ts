import type { Account, SignableRequest } from '@model-gateway/provider-kit';

/** A bearer key where there is one, and the organization and project of an account that names them. */
export function authorize(_request: SignableRequest, account: Account): Record<string, string> {
  const { organization, project } = account.settings;
  return {
    authorization: `Bearer ${account.credentials['api_key'] ?? ''}`,
    ...(organization !== undefined && { 'openai-organization': organization }),
    ...(project !== undefined && { 'openai-project': project }),
  };
}
