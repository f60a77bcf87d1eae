/** What the settings of `console.oidc` mean. */

const OIDC = 'console.oidc';
const LIMITS = `${OIDC}.playground.limits`;

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
  [`${LIMITS}.requests_per_minute`]: { about: 'requests of all people of an owner in any minute', default: 'no limit' },
  [`${LIMITS}.tokens_per_minute`]: { about: 'tokens in any minute', default: 'no limit', unit: 'tokens' },
  [`${LIMITS}.concurrent_requests`]: { about: 'requests at once', default: 'no limit' },
  [`${LIMITS}.spend_per_hour`]: { about: 'cap of a UTC hour', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.spend_per_day`]: { about: 'cap of a UTC day', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.spend_per_week`]: { about: 'cap of a week, from Monday UTC', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.spend_per_month`]: { about: 'cap of a UTC month', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.spend_total`]: { about: 'cap in all', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.spend_per_run`]: { about: 'cap of one run of an agent', default: 'no limit', unit: 'US dollars' },
  [`${LIMITS}.requests_per_run`]: { about: 'requests of one run', default: 'no limit' },
  [`${LIMITS}.minutes_per_run`]: { about: 'minutes after the first request of a run', default: 'no limit' },
  [`${LIMITS}.repeated_calls_per_run`]: { about: 'equal calls in a row of one run', default: 'no limit' },
  [`${LIMITS}.max_priority`]: { about: 'the highest priority that tasks may ask for, up to 9', default: 0 },
} as const;
