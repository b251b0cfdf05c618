import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

import { agentEndpoint } from './agent/messages.ts';
import { json } from './answer.ts';
import { assistantEndpoint } from './assistant/endpoint.ts';
import type { Call, Endpoint } from './call.ts';
import { createConnections } from './connections.ts';
import { createRules, type FaultRule } from './faults/rules.ts';
import type { Forms } from './forms.ts';
import { AGENT_KEYS, ASSISTANT_KEYS, ROUTER_KEYS } from './keys.ts';
import { listen } from './listen.ts';
import { createRecord, type RecordedRequest } from './record.ts';
import { routerEndpoint, withRequestId } from './router/endpoint.ts';
import { createListener } from './server.ts';
import { createAuthority } from './tls.ts';
import { createWorld } from './world.ts';

export type { Fault } from './faults/fault.ts';
export type { FaultRule, Forms, RecordedRequest };

export interface ServiceOptions {
	/** A free port when absent or 0. */
	port?: number;
	/** Whether to listen with TLS too. */
	https?: boolean;
	/** The clock of rate limits, jobs and retention, in milliseconds since 1970. */
	now?: () => number;
	/** Answers what is none of the specification's business, with the same faults; undefined for what it does not know. */
	further?: (call: Call) => ReturnType<Endpoint> | undefined;
	/** Whether answers are those of scripted personas, and files something to look at, as in the demo. */
	personas?: boolean;
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** Node's five seconds would now and then end a connection that a client is about to use again. */
const KEPT = { keepAliveTimeout: 120_000 };

/** Starts the reference service on loopback. */
export async function startService(options: ServiceOptions = {}) {
	const now = options.now ?? Date.now;
	const world = createWorld(now, options.personas);
	const record = createRecord();
	const rules = createRules();
	const connections = createConnections();
	const reset = () => {
		rules.reset();
		record.reset();
		world.reset();
	};
	const untouched = (call: Call) => {
		const nothing = { status: 200, headers: {}, body: '' };
		return call.path.startsWith('/v1/') ? withRequestId(world, nothing) : nothing;
	};
	const endpoint = (call: Call) => {
		const answer =
			options.further?.(call) ??
			agentEndpoint(world, call) ??
			assistantEndpoint(world, call) ??
			routerEndpoint(world, call);
		if (answer) return answer;
		record.unexpected.push(`${call.method} ${call.path}`);
		return json({ detail: `no such path: ${call.path}` }, 404);
	};
	const { gate } = world;
	/** Micro-dollars. */
	const balance = (key: string = ROUTER_KEYS.main) => world.accounts.get(key)?.balance ?? 0;
	const parts = { record, rules, connections, now, gate, endpoint, untouched };

	const server = createServer(KEPT, createListener(parts));
	connections.watch(server);
	const url = `http://127.0.0.1:${await listen(server, options.port)}`;
	const servers = [server];
	let httpsUrl = '';
	let ca = '';
	if (options.https) {
		const authority = createAuthority();
		const secure = createTlsServer({ ...authority.issue(), ...KEPT }, createListener(parts));
		connections.watch(secure);
		servers.push(secure);
		httpsUrl = `https://localhost:${await listen(secure)}`;
		ca = authority.cert;
	}

	return {
		url,
		/** With the option `https`, else empty. */
		httpsUrl,
		/** PEM of the CA behind `httpsUrl`, for NODE_EXTRA_CA_CERTS; empty without `https`. */
		ca,
		agent: {
			baseUrl: (workspace = 'ws-1') => `${url}/api/v1/workspaces/${workspace}`,
			key: (workspace = 'ws-1') => AGENT_KEYS[workspace] ?? '',
		},
		assistant: { baseUrl: `${url}/api/ai-assistant/v1`, keys: ASSISTANT_KEYS },
		router: { baseUrl: url, keys: ROUTER_KEYS },
		requests: record.requests,
		/** Requests to paths outside the specification, as `METHOD path`. */
		unexpected: record.unexpected,
		/** Everything it remembers. */
		world,
		forms: world.forms,
		fault: rules.add,
		/** Lets every gated stream send `count` (1) more pieces. */
		step: (count?: number) => world.gate.step(count),
		/** Resolves once so many (1) gated streams have begun since the last reset: a step is for those that have. */
		gated: async (count = 1) => await world.gate.begun(count),
		/** Lets everything through that is gated or held now. */
		release: () => world.gate.open(),
		/** How often a job was really started by a body that contains the text. */
		starts: (included: string) =>
			world.starts.filter((start) => start.bodyText.includes(included)).length,
		/** How many POST requests came whose body contains the text. */
		received: (included: string) =>
			record.requests.filter(
				(request) => request.method === 'POST' && request.bodyText.includes(included),
			).length,
		/** Puts the balance of a key of C (`main`) at an amount; a key that is not known becomes valid. */
		balance,
		/** Does something, and tells what the account paid for it, in micro-dollars. */
		async paidFor<Result>(work: () => Promise<Result>) {
			const before = balance();
			const result = await work();
			await record.settled();
			return { result, paid: before - balance() };
		},
		setBalance: (microUsd: number, key: string = ROUTER_KEYS.main) =>
			world.setBalance(microUsd, key),
		get mostInFlight() {
			return record.mostInFlight;
		},
		settled: () => record.settled(),
		reset,
		async stop() {
			world.gate.open();
			for (const each of servers) {
				each.closeAllConnections();
				await new Promise((resolve) => each.close(resolve));
			}
		},
	};
}
