import { generateKeyPairSync } from 'node:crypto';

const made: { account?: ReturnType<typeof make> } = {};

/** A Google service account with a key pair of its own for every process. */
export function serviceAccount(): ReturnType<typeof make> {
  return (made.account ??= make());
}

function make() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    type: 'service_account',
    project_id: 'twin-project',
    private_key_id: 'twin-key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: 'gateway@twin-project.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  };
}
