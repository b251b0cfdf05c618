import type { Answer } from '../answer.ts';
import { bodyFault } from './body.ts';
import { eventFault } from './events.ts';
import type { Fault } from './fault.ts';
import { headFault } from './head.ts';
import { socketFault } from './socket.ts';

/** Wraps an answer in faults, the first nearest to the answer. */
export async function applyFaults(answer: Answer, faults: Fault[], now: number): Promise<Answer> {
	let result = answer;
	for (const fault of faults) {
		const faulty =
			socketFault(result, fault) ??
			headFault(result, fault, now) ??
			eventFault(result, fault) ??
			(await bodyFault(result, fault));
		if (!faulty) throw new Error(`unknown fault ${JSON.stringify(fault)}`);
		result = faulty;
	}
	return result;
}
