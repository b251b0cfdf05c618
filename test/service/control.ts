import { json, type Answer } from './answer.ts';
import { isFields, partsOf, type Call, type Fields } from './call.ts';
import { ruleFrom, type Rules } from './faults/rules.ts';
import { ROUTER_KEYS } from './keys.ts';
import type { Record } from './record.ts';
import { endJob } from './router/job.ts';
import type { World } from './world.ts';

/** The routes by which another process steers the service. They are no part of the specification. */
export function createControl(world: World, record: Record, rules: Rules, reset: () => void) {
	return (call: Call): Answer => {
		const [, name, id] = partsOf(call.path) ?? [];
		const body = isFields(call.body) ? call.body : {};
		switch (`${call.method} ${name}`) {
			case 'POST fault':
				rules.add(ruleFrom(call.body));
				return json({ ok: true });
			case 'GET requests':
				return json(record.requests);
			case 'POST reset':
				reset();
				return json({ ok: true });
			case 'POST forms':
				Object.assign(world.forms, body);
				return json(world.forms);
			case 'GET forms':
				return json(world.forms);
			case 'GET state':
				return json(stateOf(world, record));
			case 'POST step':
				world.gate.step(typeof body.count === 'number' ? body.count : 1);
				return json({ ok: true });
			case 'POST balance':
				return setBalance(world, body);
			case 'POST jobs':
				return changeJob(world, id ?? '', body.state);
			default:
				return json({ error: `no control ${call.method} ${call.path}` }, 404);
		}
	};
}

function setBalance(world: World, { key = ROUTER_KEYS.main, micro_usd: amount }: Fields): Answer {
	if (!Number.isSafeInteger(amount) || typeof key !== 'string') {
		return json({ error: 'micro_usd is a whole number, key a string' }, 400);
	}
	world.setBalance(Number(amount), key);
	return json({ key, micro_usd: amount });
}

function changeJob(world: World, id: string, state: unknown): Answer {
	const job = world.jobs.get(id);
	if (!job) return json({ error: `no job ${id}` }, 404);
	if (state === 'completed' || state === 'failed') endJob(world, job, state);
	else if (state === 'expired') {
		endJob(world, job, 'completed');
		job.expired = true;
	} else return json({ error: 'state is completed, failed or expired' }, 400);
	return json({ id, state: job.state, expired: job.expired });
}

function stateOf(world: World, record: Record) {
	return {
		inFlight: record.inFlight,
		mostInFlight: record.mostInFlight,
		unexpected: record.unexpected,
		sessions: Object.fromEntries(world.sessions),
		chats: Object.fromEntries(world.chats),
		// `close` is a function, which JSON leaves out
		jobs: [...world.jobs.values()].map((job) => ({ ...job, model: job.model.entry.id })),
		accounts: Object.fromEntries(
			[...world.accounts].map(([key, { balance, held }]) => [key, { balance, held }]),
		),
		starts: world.starts,
	};
}
