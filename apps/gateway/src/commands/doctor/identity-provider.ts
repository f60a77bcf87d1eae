/** Whether the identity provider of the console answers, where one is configured. */
import type { Config } from '../../config/config.ts';
import { discover, reasonOf } from '../../resources/console/oidc/provider.ts';
import type { Finding } from './finding.ts';

const NAME = 'identity provider';

/** Asks it what it is; nothing where none is configured. */
export async function lookAtIdentityProvider(
  { console: { oidc } }: Pick<Config, 'console'>,
  { offline }: { readonly offline: boolean },
): Promise<readonly Finding[]> {
  if (oidc === undefined) return [];
  const { issuer } = oidc;
  if (offline) return [{ name: NAME, state: 'ok', message: `${issuer} is not asked (--offline)` }];
  try {
    const begun = performance.now();
    const { configuration } = await discover(oidc);
    const took = Math.round(performance.now() - begun);
    const { code_challenge_methods_supported: methods } = configuration.serverMetadata();
    const answers: Finding = { name: NAME, state: 'ok', message: `${issuer} answers in ${took} ms` };
    if (methods === undefined || methods.includes('S256')) return [answers];
    return [
      {
        name: NAME,
        state: 'warning',
        message: `${issuer} does not say that it takes PKCE with S256`,
        advice: 'signing in sends it all the same; see that the provider takes it',
      },
    ];
  } catch (error) {
    return [
      {
        name: NAME,
        state: 'fault',
        message: `${issuer} cannot be used: ${reasonOf(error)}`,
        advice:
          'console.oidc.issuer is to be exactly what the provider calls itself, and its /.well-known/openid-configuration to be reached from here; keys go on working without it',
      },
    ];
  }
}
