/** Sends alerts: signed webhooks, messages for chats, e-mail. */
import { isIP } from 'node:net';
import { signatureOf, unreachedReason } from '@model-gateway/core';
import { GatewayError, type components, type JsonObject } from '@model-gateway/contracts';
import type { UntrustedFetcher } from '@model-gateway/provider-kit';
import type { AlertChannel, AlertSettings, HttpChannel, MailChannel } from '../../config/alerts.ts';
import { timeOf } from '../values.ts';

const ANSWER_MS = 15_000;
const SMTP_MS = 20_000;
/** Of a whole mail with all its steps: shorter than the turn of its channel. */
const MAIL_MS = 100_000;
/** Discord takes 2,000 characters, and the others more. */
const LONGEST_TEXT = 1_900;

/** One message, as it leaves. */
export interface Outgoing {
  /** The same for every attempt, so that a receiver can tell a repeat. */
  readonly id: string;
  readonly type: components['schemas']['AlertType'];
  readonly text: string;
  readonly data: JsonObject;
}

export interface AlertChannelsOptions {
  /** Undefined where nothing is configured. */
  readonly settings: Pick<AlertSettings, 'channels'> | undefined;
  readonly fetcher: () => Pick<UntrustedFetcher, 'open'>;
  readonly now: () => number;
  /** Certificates that a mail server may have, PEM; those of the system when absent. */
  readonly mailCertificates?: string;
  /** How long a mail may take in all, for tests. */
  readonly mailMs?: number;
}

/** The channels of the configuration. */
export class AlertChannels {
  private readonly options: AlertChannelsOptions;
  private readonly channels: ReadonlyMap<string, AlertChannel>;

  constructor(options: AlertChannelsOptions) {
    this.options = options;
    this.channels = new Map((options.settings?.channels ?? []).map((channel) => [channel.name, channel]));
  }

  names(): readonly string[] {
    return [...this.channels.keys()];
  }

  /** Sends one message; resolves with the reason when it does not arrive, without addresses and secrets. */
  async send(name: string, message: Outgoing): Promise<string | undefined> {
    const channel = this.channels.get(name);
    if (channel === undefined) return 'there is no such channel';
    try {
      return await (channel.type === 'email' ? this.mail(channel, message) : this.post(channel, message));
    } catch (error) {
      return channel.type === 'email' ? mailFault(error) : unreachedReason(error);
    }
  }

  /** Sends a test message to one channel or all. Throws `not_found` where there is none. */
  async test(only: string | undefined): Promise<components['schemas']['AlertTest']> {
    const chosen = [...this.channels.values()].filter(({ name }) => only === undefined || name === only);
    if (chosen.length === 0)
      throw new GatewayError(
        'not_found',
        this.channels.size === 0
          ? 'no channel for alerts is configured: add alerts.channels to the configuration file'
          : `there is no channel '${String(only).slice(0, 80)}'; there is ${this.names().join(', ')}`,
        { param: 'channel' },
      );
    const at = this.options.now();
    const channels = await Promise.all(
      chosen.map(async ({ name, type }) => {
        const text = `This is a test message for the channel "${name}". Alerts will arrive here.`;
        const error = await this.send(name, { id: `alert_test_${at}`, type: 'test', text, data: {} });
        return { name, type, ok: error === undefined, error: error ?? null };
      }),
    );
    return { object: 'alert_test', ok: channels.every(({ ok }) => ok), channels };
  }

  private async post(channel: HttpChannel, message: Outgoing): Promise<string | undefined> {
    const seconds = Math.floor(this.options.now() / 1000);
    const body = JSON.stringify(bodyOf(channel.type, message, seconds));
    const { status, body: answer } = await this.options.fetcher().open(channel.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'model-gateway-alerts',
        ...(channel.secret !== undefined && {
          'webhook-id': message.id,
          'webhook-timestamp': String(seconds),
          'webhook-signature': signatureOf(channel.secret, message.id, seconds, body),
        }),
      },
      body,
      signal: AbortSignal.timeout(ANSWER_MS),
      firstByteSeconds: ANSWER_MS / 1000,
      followRedirects: false,
    });
    answer.destroy();
    return status >= 200 && status < 300 ? undefined : `the address answered ${status}`;
  }

  private async mail({ from, to, server }: MailChannel, { id, text }: Outgoing): Promise<string | undefined> {
    const { createTransport } = await import('nodemailer');
    const { host, port, security, login } = server;
    const { mailCertificates: ca, mailMs = MAIL_MS } = this.options;
    const transport = createTransport({
      ...{ host, port },
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(login !== undefined && { auth: { user: login.user, pass: login.password } }),
      tls: { ...(ca !== undefined && { ca }), ...(isIP(host) === 0 && { servername: host }) },
      ...{ connectionTimeout: SMTP_MS, greetingTimeout: SMTP_MS, socketTimeout: SMTP_MS, dnsTimeout: SMTP_MS },
      // Nothing of a text is an address that is read.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(Object.assign(new Error('the mail took too long'), { code: 'ETIMEDOUT' })),
      mailMs,
    );
    try {
      const messageId = `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`;
      const sending = transport.sendMail({ from, to: [...to], subject: subjectOf(text), text, messageId });
      await Promise.race([sending, late.promise]);
      return undefined;
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  }
}

/** What the receiver of a type reads. */
function bodyOf(type: HttpChannel['type'], { type: event, text, data }: Outgoing, seconds: number): JsonObject {
  const short = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  switch (type) {
    case 'webhook':
      return { type: event, timestamp: timeOf(seconds * 1000).replace('.000Z', 'Z'), data: { ...data, text } };
    case 'slack':
      // Names are callers' own: none of them is a mention or a link.
      return { text: short.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') };
    case 'discord':
      return { content: short, allowed_mentions: { parse: [] } };
    case 'teams':
      return {
        type: 'message',
        attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: cardOf(short) }],
      };
  }
}

function cardOf(text: string): JsonObject {
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    // Not Markdown: brackets of a name are no link.
    body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] }],
  };
}

const LONGEST_SUBJECT = 120;

function subjectOf(text: string): string {
  const line = (/^.*?[.:](?= |$)/s.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ').replace(/[.:]$/, '');
  return `Model gateway: ${line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT)}…` : line}`;
}

const MAIL_FAULTS: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the user name or the password',
  ECONNECTION: 'the mail server could not be reached',
  EDNS: 'the name of the mail server is unknown',
  EENVELOPE: 'the mail server refused the sender or the recipients',
  ESOCKET: 'the mail server could not be reached',
  ETIMEDOUT: 'the mail server did not answer in time',
  ETLS: 'the mail server does not encrypt as configured',
};

/** Never the server's own words: they may quote what it was sent. */
function mailFault(error: unknown): string {
  const { code, responseCode } = error as { readonly code?: string; readonly responseCode?: number };
  if (/certificate|self.signed|altnames/i.test((error as Error).message))
    return 'the certificate of the mail server is not trusted';
  return (
    MAIL_FAULTS[code ?? ''] ??
    (responseCode === undefined ? 'the mail server could not be used' : `the mail server answered ${responseCode}`)
  );
}
