/** What the settings of `console.oidc` mean. */
import { limitSettings } from './limit-settings.ts';

const OIDC = 'console.oidc';

/** By their paths, as in the table of all settings. */
export const SINGLE_SIGN_ON_SETTINGS = {
  [`${OIDC}.name`]: { about: 'the name of the identity provider on the sign-in button', default: 'its host' },
  [`${OIDC}.issuer`]: { about: 'the provider’s address, exactly as in its tokens' },
  [`${OIDC}.client_id`]: { about: 'the id of this gateway at the provider' },
  [`${OIDC}.client_secret`]: { about: 'the secret of this gateway at the provider', default: 'none: a public client' },
  [`${OIDC}.scopes`]: { about: 'the scopes to request, including `openid`', default: '`openid`, `profile`, `email`' },
  [`${OIDC}.public_url`]: {
    about: 'the address of the console for browsers; the provider redirects to `/console/oidc/callback` there',
    default: '`server.public_url`',
  },
  [`${OIDC}.roles.claim`]: { about: 'the claim with the roles; dots lead into objects: `realm_access.roles`' },
  [`${OIDC}.roles.admin`]: { about: 'values that make somebody an operator', default: 'none' },
  [`${OIDC}.roles.owner`]: { about: 'values that give access to everything of one owner', default: 'none' },
  [`${OIDC}.roles.member`]: {
    about: 'values that let somebody read everything of one owner and use models',
    default: 'none',
  },
  [`${OIDC}.owner_claim`]: {
    about: 'the claim that names the owner, by name or number; required for the roles owner and member',
  },
  [`${OIDC}.playground.models`]: {
    about: 'model model codes that people may use; `*` stands for any characters',
    default: 'all',
  },
  [`${OIDC}.playground.group`]: { about: 'the group, which sets the price factor', default: 'the owner’s' },
  ...limitSettings(`${OIDC}.playground.limits`, 'of all people of an owner together: '),
} as const;
