/** For tests and benches that run a whole gateway; a deployment runs the command (main.ts). */
export { readConfig, ConfigError, type Config } from './config/config.ts';
export { startServer, type GatewayServer, type ServerOptions } from './server/gateway-server.ts';
export { openApiDocument } from './http/document.ts';
export { matchOperation } from './http/route-table.ts';
export { adapterOf, vendors } from './adapters.ts';
