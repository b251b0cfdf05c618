// n8n loads it first: it finds these names as a container finds the others of its network. Here they are this machine.
const dns = require('node:dns');

/** @param {string} name */
const addressOf = (name) => (/^model-server(-\d)?$/.test(name) ? '127.0.0.1' : name);

for (const from of [dns, dns.promises]) {
	const lookup = new Proxy(from.lookup, {
		apply: (look, self, [name, ...more]) => Reflect.apply(look, self, [addressOf(name), ...more]),
	});
	Object.assign(from, { lookup });
}
