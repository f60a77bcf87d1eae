/** Alerts: the form of `alerts`, what is made of it, and what its settings mean (docs/guides/alerts.md). */
import * as z from 'zod';
import { count, flag, name, number } from './scalars.ts';

/** How messages are delivered. */
export const ALERT_CHANNELS = ['webhook', 'slack', 'discord', 'teams', 'email'] as const;
type ChannelType = (typeof ALERT_CHANNELS)[number];
const SMTP_SECURITY = ['starttls', 'tls', 'none'] as const;

const address = z.string().regex(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, 'expected an e-mail address such as ops@example.com');

const smtp = z.strictObject({
  host: z.string().min(1).max(253),
  port: number(z.number().int().min(1).max(65_535)).optional(),
  security: z.enum(SMTP_SECURITY).optional(),
  user: z.string().min(1).optional(),
  password: z.string().min(1).optional(),
});

const channel = z
  .strictObject({
    name,
    type: z.enum(ALERT_CHANNELS),
    webhook_url: z
      .url({ protocol: /^https?$/, error: 'expected an address that begins with https:// or http://' })
      .optional(),
    secret: z.string().startsWith('whsec_', 'a webhook secret starts with whsec_').optional(),
    smtp: smtp.optional(),
    from: address.optional(),
    to: z.array(address).min(1).max(50).optional(),
  })
  .superRefine((row, context) => {
    for (const [path, message] of channelFaults(row)) context.addIssue({ code: 'custom', path: [...path], message });
  });

/** Shares of a limit at which somebody is told. */
export const sharesSchema = z.array(number(z.number().positive().max(10))).max(10);

export const alertsSchema = z.strictObject({
  at: sharesSchema.min(1).optional(),
  forecast: flag.optional(),
  max_per_hour: count.optional(),
  channels: z
    .array(channel)
    .max(20)
    .superRefine((rows, context) => {
      for (const [index, row] of rows.entries())
        if (rows.findIndex((each) => each.name === row.name) < index)
          context.addIssue({ code: 'custom', path: [index, 'name'], message: 'another channel has this name' });
    }),
});

interface ChannelRow {
  readonly type: ChannelType;
  readonly webhook_url?: string | undefined;
  readonly secret?: string | undefined;
  readonly smtp?: z.infer<typeof smtp> | undefined;
  readonly from?: string | undefined;
  readonly to?: readonly string[] | undefined;
}

type PlacedFault = readonly [path: readonly string[], message: string];

/** Members that a type of channel needs, and those that belong to another one. */
function channelFaults(row: ChannelRow): readonly PlacedFault[] {
  const mail = ['smtp', 'from', 'to'] as const;
  const wanted: readonly (keyof ChannelRow)[] =
    row.type === 'email' ? mail : row.type === 'webhook' ? ['webhook_url', 'secret'] : ['webhook_url'];
  const members: readonly (keyof ChannelRow)[] = ['webhook_url', 'secret', ...mail];
  const faults = members.flatMap((member): PlacedFault[] => {
    const isGiven = row[member] !== undefined;
    if (isGiven === wanted.includes(member)) return [];
    return isGiven
      ? [[[member], `a channel of the type ${row.type} does not have it`]]
      : [[[], `a channel of the type ${row.type} needs ${member}`]];
  });
  const { user, password, security } = row.smtp ?? {};
  if ((user === undefined) !== (password === undefined))
    faults.push([['smtp'], 'give user and password, or none of them']);
  if (security === 'none' && password !== undefined)
    faults.push([['smtp', 'security'], 'a password would travel in clear; use starttls or tls']);
  return faults;
}

export interface HttpChannel {
  readonly type: Exclude<ChannelType, 'email'>;
  readonly name: string;
  readonly url: string;
  /** Of signed webhooks. */
  readonly secret?: string;
}

export interface MailChannel {
  readonly type: 'email';
  readonly name: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly security: (typeof SMTP_SECURITY)[number];
    readonly login?: { readonly user: string; readonly password: string };
  };
}

export type AlertChannel = HttpChannel | MailChannel;

export interface AlertSettings {
  /** Shares of a budget, the lowest first. */
  readonly at: readonly number[];
  readonly forecast: boolean;
  /** Messages of one channel. */
  readonly maxPerHour: number;
  readonly channels: readonly AlertChannel[];
}

const USUAL_SHARES = [0.8, 1];
const USUAL_PER_HOUR = 20;
const PORTS = { starttls: 587, tls: 465, none: 25 } as const;

/** What the section says; undefined where there is no channel. */
export function alertsOf(row: z.infer<typeof alertsSchema> | undefined): AlertSettings | undefined {
  if (row === undefined || row.channels.length === 0) return undefined;
  return {
    at: sharesInOrder(row.at ?? USUAL_SHARES),
    forecast: row.forecast ?? true,
    maxPerHour: row.max_per_hour ?? USUAL_PER_HOUR,
    channels: row.channels.map(channelOf),
  };
}

/** Each share once, the lowest first. */
export function sharesInOrder(shares: readonly number[]): readonly number[] {
  return [...new Set(shares)].sort((one, other) => one - other);
}

function channelOf(row: z.infer<typeof channel>): AlertChannel {
  const { name: called, type, webhook_url: url = '', secret, smtp: server, from = '', to = [] } = row;
  if (type !== 'email') return { name: called, type, url, ...(secret !== undefined && { secret }) };
  const { host = '', security = 'starttls', port, user, password } = server ?? {};
  const login = user === undefined || password === undefined ? undefined : { user, password };
  return {
    name: called,
    type,
    from,
    to,
    server: { host, port: port ?? PORTS[security], security, ...(login !== undefined && { login }) },
  };
}

const CHANNEL = 'alerts.channels[]';

/** By their paths, as in the table of all settings. */
export const ALERT_SETTINGS = {
  'alerts.at': { about: 'the shares of a budget at which you are told, such as `[0.5, 0.8, 1]`', default: '0.8 and 1' },
  'alerts.forecast': {
    about: 'whether you are told that a budget will be used up early at its present pace',
    default: true,
  },
  'alerts.max_per_hour': {
    about: 'the most messages of one channel in an hour; the last one sums up the rest',
    default: 20,
  },
  [`${CHANNEL}.name`]: { about: 'a unique name' },
  [`${CHANNEL}.type`]: {
    about: 'how messages are delivered; `slack` also works for Mattermost, Rocket.Chat and Google Chat',
  },
  [`${CHANNEL}.webhook_url`]: { about: 'the address of the webhook, for all types but `email`' },
  [`${CHANNEL}.secret`]: { about: 'the secret that signs messages of the type `webhook`; begins with `whsec_`' },
  [`${CHANNEL}.smtp.host`]: { about: 'the mail server, for the type `email`' },
  [`${CHANNEL}.smtp.port`]: { about: 'its port', default: '587, with `tls` 465, with `none` 25' },
  [`${CHANNEL}.smtp.security`]: { about: 'how the connection is encrypted', default: 'starttls' },
  [`${CHANNEL}.smtp.user`]: { about: 'the user name', default: 'no sign-in' },
  [`${CHANNEL}.smtp.password`]: { about: 'the password', default: 'no sign-in' },
  [`${CHANNEL}.from`]: { about: 'the sender’s address' },
  [`${CHANNEL}.to`]: { about: 'the recipients’ addresses' },
} as const;
