import type { Call } from '../service/call';
import type { Fault, Service } from '../service/service';
import { chanceOf, drawn } from './chance';
import {
	fileTroubles,
	notKnownYet,
	redirected,
	startTroubles,
	statusTroubles,
	type Trouble,
} from './troubles';

export interface Drawing {
	/** How often each trouble struck, and how often none did. */
	struck: Map<string, number>;
	/** Starts that were sent again although the service might have received them before. */
	sentAgain: string[];
	/** Lets the service refuse the next starts of a job with 403. */
	refuse(key: string, times: number): void;
}

interface Options {
	seed: number;
	/** Finds the key of a job in a prompt. */
	keyIn(text: string): string;
	/** Where a redirect leads to. */
	elsewhere(jobId: string): string;
	/** Milliseconds that the answer to a start takes; by default none. */
	startLatency?: number;
}

/** Draws for every request to the service whether and how it goes wrong. */
export function drawTroubles(
	service: Service,
	{ seed, keyIn, elsewhere, startLatency }: Options,
): Drawing {
	const counted = new Map<string, number>();
	const struck = new Map<string, number>();
	const refusals = new Map<string, number>();
	const mayHaveArrived = new Set<string>();
	const sentAgain: string[] = [];

	/** Which request of its sort this is for the job, from 1. */
	const next = (sort: string, key: string) => {
		const number = (counted.get(`${sort} ${key}`) ?? 0) + 1;
		counted.set(`${sort} ${key}`, number);
		return number;
	};
	const strike = (sort: string, trouble: Trouble | undefined): Fault[] => {
		const name = trouble?.name ?? `${sort}: none`;
		struck.set(name, (struck.get(name) ?? 0) + 1);
		return trouble?.faults ?? [];
	};

	const slow: Fault[] = startLatency ? [{ type: 'latency', ms: startLatency }] : [];
	const onStart = (call: Call): Fault[] => [...troubleOfStart(call), ...slow];
	const troubleOfStart = ({ bodyText }: Call): Fault[] => {
		const key = keyIn(bodyText);
		if (mayHaveArrived.has(key)) sentAgain.push(key);
		const refusalsLeft = refusals.get(key) ?? 0;
		if (refusalsLeft) {
			refusals.set(key, refusalsLeft - 1);
			const faults: Fault[] = [{ type: 'status', status: 403 }];
			return strike('start', { name: 'start: 403 on purpose', share: 0, faults });
		}
		const trouble = drawn(startTroubles, chanceOf(seed, 'start', key, next('start', key)));
		if (trouble?.open ?? true) mayHaveArrived.add(key);
		return strike('start', trouble);
	};

	const onStatus = ({ path }: Call): Fault[] => {
		const key = keyOfJob(path);
		const number = next('status', key);
		// each question is asked on two paths, so up to three of them find nothing
		const blind = chanceOf(seed, 'blind', key) / notKnownYet.share;
		if (blind < 1 && number <= 2 * Math.ceil(blind * 3)) return strike('status', notKnownYet);
		return strike('status', drawn(statusTroubles, chanceOf(seed, 'status', key, number)));
	};

	const onFile = ({ path }: Call): Fault[] => {
		const key = keyOfJob(path);
		const trouble = drawn(fileTroubles, chanceOf(seed, 'file', key, next('file', key)));
		const faults = strike('file', trouble);
		if (trouble !== redirected) return faults;
		return [{ type: 'redirect', status: 302, to: elsewhere(jobIdIn(path)) }];
	};

	const keyOfJob = (path: string) => keyIn(service.world.jobs.get(jobIdIn(path))?.prompt ?? '');

	service.fault({ match: { method: 'POST', path: /\/jobs$/, bodyIncludes: '{' }, do: onStart });
	service.fault({ match: { method: 'GET', path: /\/jobs\/[^/]+$/ }, do: onStatus });
	service.fault({ match: { method: 'GET', path: /\/content$/ }, do: onFile });
	return {
		struck,
		sentAgain,
		refuse: (key, times) => void refusals.set(key, times),
	};
}

const jobIdIn = (path: string) => decodeURIComponent(/\/jobs\/([^/]+)/.exec(path)?.[1] ?? '');
