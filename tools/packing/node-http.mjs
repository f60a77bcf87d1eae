// What `import … from 'node:http'` becomes in the bundle. An import reads every export of a built-in module, and one of this one is a WebSocket, for
// which Node loads its own copy of undici: 10 MB and a tenth of a second that nothing needs. `require` leaves it alone.
import { createRequire } from 'node:module';

const http = createRequire(import.meta.url)('node:http');

export default http;
export const { Agent, createServer, IncomingMessage, request, ServerResponse, STATUS_CODES } = http;
