import { generateKeyPairSync } from 'node:crypto';

const NAMES = {
  type: 'service_account',
  project_id: 'twin-project',
  private_key_id: 'twin-key-1',
  client_email: 'gateway@twin-project.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};

let key: string | undefined;

/** A Google service account with a key pair of its own for every process. The key is made when it is first looked at: that takes longer than many a start. */
export function serviceAccount() {
  return {
    ...NAMES,
    get private_key(): string {
      return (key ??= newKey());
    },
  };
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
