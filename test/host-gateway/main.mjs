// @portkey-ai/gateway, on this machine only: of itself, it listens on all its addresses. Its first argument is --port=…
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (port, _host, ...rest) {
	return listen.call(this, port, '127.0.0.1', ...rest);
};
await import('./node_modules/@portkey-ai/gateway/build/start-server.js');
