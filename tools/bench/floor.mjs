// The floor: node:http in, undici out, nothing in between. What any gateway in Node must at least cost.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const pool = new Pool(process.argv[2], { pipelining: 1 });
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    pool
      .request({
        method: 'POST',
        path: request.url,
        headers: { 'content-type': 'application/json', authorization: 'Bearer upstream' },
        body: Buffer.concat(chunks),
      })
      .then(({ statusCode, headers, body }) => {
        response.writeHead(statusCode, { 'content-type': headers['content-type'] });
        body.pipe(response);
      })
      .catch(() => response.writeHead(502).end());
  });
});
// As the gateway: a connection of the load that waits longer than Node's five seconds must not be closed under its next request.
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => console.log(`The floor listens on http://127.0.0.1:${server.address().port}`));
