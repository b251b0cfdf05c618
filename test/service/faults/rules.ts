import type { Call } from '../call.ts';
import type { Fault } from './fault.ts';

export interface FaultRule {
	match?: {
		method?: string;
		/** A string is a substring of the path (with query). */
		path?: string | RegExp;
		bodyIncludes?: string;
	};
	/** How many requests it strikes; all when absent. */
	times?: number;
	/** How many matching requests pass before it strikes. */
	skip?: number;
	/** A function may draw another fault for each request. */
	do: Fault | Fault[] | ((call: Call) => Fault | Fault[]);
}

export type Rules = ReturnType<typeof createRules>;

export function createRules() {
	let rules: Array<{ rule: FaultRule; skip: number; left: number }> = [];
	// drawn once for a request, however often its rule is looked at
	const drawn = new WeakMap<Call, { rule: FaultRule; faults: Fault[] }>();
	const draw = (rule: FaultRule, call: Call) => {
		const known = drawn.get(call);
		if (known?.rule === rule) return known.faults;
		const faults = listOf(typeof rule.do === 'function' ? rule.do(call) : rule.do);
		drawn.set(call, { rule, faults });
		return faults;
	};
	const find = (call: Call, read: boolean) =>
		rules.find((entry) => entry.left > 0 && matches(entry.rule, call, read));
	return {
		add(rule: FaultRule) {
			rules.push({ rule, skip: rule.skip ?? 0, left: rule.times ?? Infinity });
		},
		/** The faults for a request; `call.body` counts only when `read`. First match wins. */
		take(call: Call, read: boolean): Fault[] {
			const entry = find(call, read);
			if (!entry) return [];
			if (entry.skip > 0) {
				entry.skip--;
				return [];
			}
			entry.left--;
			return draw(entry.rule, call);
		},
		/** Whether the first rule for this request resets it before its body is read. */
		strikesUnread(call: Call): boolean {
			const entry = find(call, false);
			return !!entry && entry.skip === 0 && isUnread(draw(entry.rule, call));
		},
		reset() {
			rules = [];
		},
	};
}

const listOf = (faults: Fault | Fault[]) => (Array.isArray(faults) ? faults : [faults]);

const isUnread = (faults: Fault[]) => faults.some((fault) => fault.type === 'reset_unread');

function matches({ match = {} }: FaultRule, call: Call, read: boolean) {
	const query = call.query.size ? `?${call.query}` : '';
	const path = call.path + query;
	if (match.method && match.method.toUpperCase() !== call.method) return false;
	if (typeof match.path === 'string' && !path.includes(match.path)) return false;
	if (match.path instanceof RegExp && !match.path.test(path)) return false;
	if (match.bodyIncludes === undefined) return true;
	return read && call.bodyText.includes(match.bodyIncludes);
}
