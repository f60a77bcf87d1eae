/** Where webhooks arrive: takes most, refuses some, hangs up on some, and compares what it hears twice. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Starts it. `secret` is the key's webhook secret; `calm()` makes it take everything from then on. */
export async function startReceiver({ secret, random }) {
  const bodies = new Map();
  const tasks = new Map();
  const faults = [];
  let heard = 0;
  let calm = false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');

  const take = ({ headers }, body) => {
    const id = headers['webhook-id'];
    const wanted = `v1,${createHmac('sha256', key).update(`${id}.${headers['webhook-timestamp']}.${body}`).digest('base64')}`;
    const given = String(headers['webhook-signature']);
    if (given.length !== wanted.length || !timingSafeEqual(Buffer.from(given), Buffer.from(wanted)))
      faults.push(`the webhook ${id} is signed wrongly`);
    heard += 1;
    const known = bodies.get(id);
    if (known !== undefined && known !== body) faults.push(`the webhook ${id} came with another body`);
    bodies.set(id, body);
    const { data } = JSON.parse(body);
    const other = tasks.get(data.task_id);
    if (other !== undefined && other.id !== id) faults.push(`${data.task_id} has two webhooks: ${other.id}, ${id}`);
    tasks.set(data.task_id, { id, status: data.status, quota: data.quota });
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      take(request, body);
      const luck = calm ? 1 : random();
      if (luck < 0.05) request.socket.destroy();
      else response.writeHead(luck < 0.15 ? 500 : 204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    faults,
    /** What was heard of a task: `{ id, status, quota }`. */
    of: (taskId) => tasks.get(taskId),
    ids: () => [...bodies.keys()],
    heard: () => heard,
    calm: () => (calm = true),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
