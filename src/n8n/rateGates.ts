import { rateGate, type RateGate } from '../service/rate';

/** More accounts than one n8n has; the oldest go first. */
const MOST_GATES = 200;

/** Shared by all nodes and executions of the process. */
const gates = new Map<string, RateGate>();

/** The gate of an account: the same for everybody who uses it. */
export function rateGateOf(account: string): RateGate {
	const gate = gates.get(account) ?? rateGate();
	gates.delete(account);
	gates.set(account, gate);
	if (gates.size > MOST_GATES)
		for (const oldest of gates.keys()) {
			gates.delete(oldest);
			break;
		}
	return gate;
}
