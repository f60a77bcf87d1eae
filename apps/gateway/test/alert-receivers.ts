/** Who is told: an HTTP receiver and a mail server on real sockets, which keep what they get. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** Self-signed, for `localhost`, until 2120: key and certificate. */
export const MAIL_CERTIFICATE = readFileSync(new URL('fixtures/mail-server.pem', import.meta.url), 'utf8');

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpReceiver {
  readonly url: string;
  readonly host: string;
  readonly received: Received[];
  /** What it answers. */
  status: number;
  /** How many connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export async function openHttpReceiver(): Promise<HttpReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(receiver.status, { location: '/elsewhere' }).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: HttpReceiver = {
    ...{ url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, received, status: 200 },
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

export interface MailReceiver {
  readonly port: number;
  readonly mails: {
    readonly to: readonly string[];
    readonly source: string;
    readonly encrypted: boolean;
    readonly user?: string;
  }[];
  close(): Promise<void>;
}

/** `login`: STARTTLS, a user and a password are needed. */
export async function openMailReceiver(login?: {
  readonly user: string;
  readonly password: string;
}): Promise<MailReceiver> {
  const mails: MailReceiver['mails'] = [];
  const server = new SMTPServer({
    ...(login === undefined
      ? { authOptional: true, disabledCommands: ['STARTTLS'] }
      : { key: MAIL_CERTIFICATE, cert: MAIL_CERTIFICATE }),
    disableReverseLookup: true,
    onAuth({ username, password }, _session, answer) {
      if (username === login?.user && password === login?.password) answer(null, { user: username });
      else answer(new Error('the secret word was wrong'));
    },
    onData(stream, session, done) {
      void text(stream).then((source) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({
          to,
          source,
          encrypted: session.secure,
          ...(session.user !== undefined && { user: String(session.user) }),
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, close: async () => new Promise<void>((resolve) => server.close(resolve)) };
}
