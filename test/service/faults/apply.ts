import type { Answer } from '../answer.ts';
import { bodyFaults } from './body.ts';
import { eventFaults } from './events.ts';
import type { Fault, Faults } from './fault.ts';
import { headFaults } from './head.ts';
import { socketFaults } from './socket.ts';

const FAULTS: Faults = { ...socketFaults, ...headFaults, ...eventFaults, ...bodyFaults };

/** Wraps an answer in faults, the first nearest to the answer. */
export async function applyFaults(answer: Answer, faults: Fault[]): Promise<Answer> {
	let result = answer;
	for (const fault of faults) {
		const strike = FAULTS[fault.type] as Faults[Fault['type']] | undefined;
		if (!strike) throw new Error(`unknown fault ${JSON.stringify(fault)}`);
		result = await strike(result, fault as never);
	}
	return result;
}
