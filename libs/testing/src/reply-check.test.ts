import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { startReplyCheck } from './reply-check.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

it.each([
  {
    name: 'what the document has',
    send: (to: ServerResponse) => to.writeHead(200, JSON_TYPE).end('{"status":"ok"}'),
    faults: [],
  },
  {
    name: 'bytes in pieces and in another encoding',
    send: (to: ServerResponse) => {
      to.writeHead(200, JSON_TYPE).write(Buffer.from('{"sta'));
      to.end('tus":"ok"}', 'latin1');
    },
    faults: [],
  },
  {
    name: 'a field that is not there',
    send: (to: ServerResponse) => to.writeHead(200, JSON_TYPE).end('{"status":"ok","more":1}'),
    faults: ['getHealth (GET /healthz) answered 200 with a body'],
  },
  {
    name: 'a status that is not there',
    send: (to: ServerResponse) => to.writeHead(418, JSON_TYPE).end('{}'),
    faults: ['getHealth (GET /healthz) answered 418'],
  },
  {
    name: 'JSON that breaks off',
    send: (to: ServerResponse) => to.writeHead(200, JSON_TYPE).end('{"status":'),
    faults: ['getHealth (GET /healthz) answered 200 with broken JSON'],
  },
])('tells $name', async ({ send, faults }) => {
  const server = createServer((_request, response) => {
    response.setHeader('x-request-id', 'req_1');
    send(response);
  }).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const check = startReplyCheck((each) => each === port);
  await (await fetch(`http://127.0.0.1:${port}/healthz?x=1`)).text();
  check.stop();
  server.closeAllConnections();
  server.close();
  expect(check.violations).toHaveLength(faults.length);
  for (const [index, fault] of faults.entries()) expect(check.violations[index]).toContain(fault);
});
