/** What the settings of `console.oidc` mean. */

const OIDC = 'console.oidc';
const LIMITS = `${OIDC}.playground.limits`;

/** By their paths, as in the table of all settings. */
export const SINGLE_SIGN_ON_SETTINGS = {
  [`${OIDC}.name`]: { about: 'what the button of the sign-in page calls the identity provider', default: 'its host' },
  [`${OIDC}.issuer`]: { about: 'the provider’s address, exactly as it writes it in its tokens' },
  [`${OIDC}.client_id`]: { about: 'what the provider calls this gateway' },
  [`${OIDC}.client_secret`]: { about: 'the secret that the provider gave with it', default: 'none: a public client' },
  [`${OIDC}.scopes`]: { about: 'what is asked for; `openid` is among them', default: '`openid`, `profile`, `email`' },
  [`${OIDC}.public_url`]: {
    about: 'where browsers reach the console; the provider sends them back to `/console/oidc/callback` there',
    default: '`server.public_url`',
  },
  [`${OIDC}.roles.claim`]: { about: 'the claim that gives roles; dots lead into objects: `realm_access.roles`' },
  [`${OIDC}.roles.admin`]: { about: 'values of it that make somebody an operator', default: 'none' },
  [`${OIDC}.roles.owner`]: { about: 'values that open everything of one owner', default: 'none' },
  [`${OIDC}.roles.member`]: {
    about: 'values that let somebody look at one owner’s things and use models',
    default: 'none',
  },
  [`${OIDC}.owner_claim`]: {
    about: 'the claim that names the owner, by name or number; needed for owners and members',
  },
  [`${OIDC}.playground.models`]: { about: 'codes that people may use; `*` stands for any characters', default: 'all' },
  [`${OIDC}.playground.group`]: { about: 'whose factor their prices have', default: 'the owner’s' },
  [`${LIMITS}.requests_per_minute`]: { about: 'requests of all people of an owner in any minute', default: 'no limit' },
  [`${LIMITS}.tokens_per_minute`]: { about: 'tokens in any minute', default: 'no limit', unit: 'tokens' },
  [`${LIMITS}.concurrent_requests`]: { about: 'requests at once', default: 'no limit' },
  [`${LIMITS}.spend_per_day`]: { about: 'cap of a UTC day', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.spend_per_month`]: { about: 'cap of a UTC month', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.spend_total`]: { about: 'cap in all', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.max_priority`]: { about: 'the highest priority that tasks may ask for, up to 9', default: 0 },
} as const;
