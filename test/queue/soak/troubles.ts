import type { Call } from '../../service/call';
import type { Fault, Service } from '../../service/service';
import { chanceOf, keyIn } from './wanted';

/** Something that goes wrong with a part of the requests of one sort. */
type Trouble = [name: string, share: number, fault: Fault];

const status = (code: number, more: object = {}): Fault => ({
	type: 'status',
	status: code,
	...more,
});
const tooMany = (retryAfter: number): Fault => ({ type: 'too_many_requests', retryAfter });
const booked = { effect: true };
const amounts = { required_micro_usd: 40_000, balance_micro_usd: 50_000, held_micro_usd: 20_000 };
const tooLittle = { error: { code: 'insufficient_balance', message: 'Too little', meta: amounts } };

/** A good third of all starts. */
const STARTS: Trouble[] = [
	['429', 0.04, tooMany(0)],
	['429, come back in 1 s', 0.02, tooMany(1)],
	['402', 0.03, status(402, { body: tooLittle })],
	['reset before it is booked', 0.04, { type: 'reset_peer', effect: false }],
	['reset after it is booked', 0.04, { type: 'reset_peer', ...booked }],
	['no answer, booked', 0.02, { type: 'down', ...booked }],
	['hangs, booked', 0.01, { type: 'timeout', ...booked }],
	['500, not booked', 0.02, status(500)],
	['500, booked', 0.03, status(500, booked)],
	['503 with Retry-After', 0.03, status(503, { headers: { 'retry-after': '1' } })],
	['cut JSON, booked', 0.03, { type: 'cut_json', ...booked }],
	['cut body, booked', 0.02, { type: 'limit_data', bytes: 20, ...booked }],
	['a web page with 200, booked', 0.02, { type: 'login_page', ...booked }],
	['a web page with 200, not booked', 0.01, { type: 'login_page', effect: false }],
	['no id, booked', 0.01, { type: 'body', body: '{"ok":true}', ...booked }],
];
const STATUSES: Trouble[] = [
	['500', 0.06, status(500)],
	['429', 0.01, tooMany(0)],
	['reset', 0.05, { type: 'reset_peer' }],
	['cut JSON', 0.03, { type: 'cut_json' }],
	['a web page with 200', 0.02, { type: 'login_page' }],
	['an unknown state', 0.08, { type: 'replace', find: '"processing"', with: '"warming_up"' }],
	['no state', 0.02, { type: 'replace', find: '"status"', with: '"mood"' }],
];
const NOT_KNOWN_YET: Trouble = ['404 right after the start', 0.15, status(404)];
const FILES: Trouble[] = [
	['cut', 0.06, { type: 'limit_data', bytes: 50 }],
	['reset', 0.04, { type: 'reset_peer', bytes: 60 }],
	['silent', 0.02, { type: 'timeout', bytes: 40 }],
	['409 although completed', 0.06, status(409)],
	['500', 0.05, status(500)],
	['JSON in place of it', 0.02, { type: 'body', body: '{}', contentType: 'application/json' }],
	['empty', 0.01, { type: 'body', body: '' }],
];

/** One of a table, or nothing where the chance is beyond all shares. */
function drawn(table: Trouble[], chance: number) {
	let upTo = 0;
	return table.find(([, share]) => chance < (upTo += share));
}

/** The service has refused: it has started nothing, for certain. */
const isRefusal = (fault: Fault) =>
	fault.type === 'too_many_requests' || (fault.type === 'status' && fault.status < 500);

const jobIdIn = (path: string) => decodeURIComponent(/\/jobs\/([^/]+)/.exec(path)?.[1] ?? '');

/**
 * Draws for every request to the service whether and how it goes wrong.
 *
 * @param elsewhere Where a redirect leads to.
 * @param startLatency Milliseconds that the answer to a start takes.
 */
export function drawTroubles(
	service: Service,
	seed: number,
	elsewhere: (jobId: string) => string,
	startLatency: number,
) {
	const counted = new Map<string, number>();
	/** How often each trouble struck, and how often none did. */
	const struck = new Map<string, number>();
	/** Starts that were sent again although the service might have received them before. */
	const sentAgain: string[] = [];
	const mayHaveArrived = new Set<string>();

	const count = (counts: Map<string, number>, name: string) => {
		const number = (counts.get(name) ?? 0) + 1;
		counts.set(name, number);
		return number;
	};
	const chance = (sort: string, key: string) =>
		chanceOf(seed, sort, key, count(counted, `${sort} ${key}`));
	const strike = (sort: string, [name, , fault]: Trouble | [string] = ['none']) => {
		count(struck, `${sort}: ${name}`);
		return fault ? [fault] : [];
	};
	const keyOfJob = (path: string) => keyIn(service.world.jobs.get(jobIdIn(path))?.prompt ?? '');

	const onStart = ({ bodyText }: Call) => {
		const key = keyIn(bodyText);
		if (mayHaveArrived.has(key)) sentAgain.push(key);
		const trouble = drawn(STARTS, chance('start', key));
		if (!trouble || !isRefusal(trouble[2])) mayHaveArrived.add(key);
		return strike('start', trouble);
	};
	const onStatus = ({ path }: Call) => {
		const key = keyOfJob(path);
		const luck = chance('status', key);
		// each question is asked on two paths, so up to three of them find nothing
		const blind = chanceOf(seed, 'blind', key) / NOT_KNOWN_YET[1];
		const isEarly = (counted.get(`status ${key}`) ?? 0) <= 2 * Math.ceil(blind * 3);
		return strike('status', blind < 1 && isEarly ? NOT_KNOWN_YET : drawn(STATUSES, luck));
	};
	const onFile = ({ path }: Call) => {
		const to = elsewhere(jobIdIn(path));
		const away: Trouble = ['to another origin', 0.08, { type: 'redirect', status: 302, to }];
		return strike('file', drawn([away, ...FILES], chance('file', keyOfJob(path))));
	};

	const slow: Fault = { type: 'latency', ms: startLatency };
	const start = (call: Call) => [...onStart(call), slow];
	service.fault({ match: { method: 'POST', path: /\/jobs$/, bodyIncludes: '{' }, do: start });
	service.fault({ match: { method: 'GET', path: /\/jobs\/[^/]+$/ }, do: onStatus });
	service.fault({ match: { method: 'GET', path: /\/content$/ }, do: onFile });
	return { struck, sentAgain };
}
