import { randomUUID } from 'node:crypto';

/** What a graph of LangGraph waits for. */
export interface Interrupt {
	id: string;
	value: unknown;
}

/** With which a graph stops when it is told this. */
export function interruptsOf(message: string): Interrupt[] {
	const [, kind = '', count = '', question = 'May I?'] =
		/\[(may|tools|both)(?: (\d+)\] (.*))?/.exec(message) ?? [];
	const action = { name: 'send_mail', args: { to: 'a@b.c' } };
	const actionRequests = [
		{ ...action, description: 'Tool execution requires approval' },
		{ name: 'pay', args: { usd: 7 } },
	];
	const reviewConfigs = [{ actionName: 'send_mail', allowedDecisions: ['approve', 'reject'] }];
	const values: Record<string, unknown[]> = {
		may: Array<string>(Number(count || 1)).fill(question),
		both: ['May I?', { go: true }],
		tools: [{ actionRequests, reviewConfigs }],
	};
	return (values[kind] ?? []).map((value) => ({
		id: randomUUID().replaceAll('-', ''),
		value,
	}));
}
