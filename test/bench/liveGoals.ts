import type { Figure } from './goals.ts';
import { minus, over } from './numbers.ts';
import { find, least, ratio, type Result } from './results.ts';

/** Milliseconds. The pieces of these rows come 10 ms apart, and such a piece is sent at once (src/n8n/liveOutput.ts). */
const promptly = 2;

const agentName = 'AI Agent + OpenAI Chat Model';

/** The agent and the assistant, at a webhook and in a chat, each with n8n's own agent there. */
const others: Array<[name: string, peer: string]> = [
	['ours: agent', agentName],
	['ours: assistant', agentName],
	['ours: agent, Chat Trigger', 'AI Agent, Chat Trigger'],
	['ours: assistant, Chat Trigger', 'AI Agent, Chat Trigger'],
];

/** Of answers that are read while they come. */
export function liveGoals(results: Result[]): Figure[] {
	const whole = find(results, 'live', 'ours: chat');
	const floor = find(results, 'live', 'n8n floor');
	const agent = find(results, 'live', agentName);
	const raw = find(results, 'live', 'raw http + parser');
	const first = (name: string) => least(find(results, 'paced', name), 'first');
	const lag = (name: string) => least(find(results, 'paced', name), 'lag');

	const added = (name: string) => minus(first(name), first('raw http'));
	return [
		['G6', 'live, wall, x AI Agent', ratio(whole, agent, 'wall'), 0.04],
		['G6', 'live, CPU, x AI Agent', ratio(whole, agent, 'cpu'), 0.04],
		['G6', 'live, wall, x raw http + parser', ratio(whole, raw, 'wall'), 2.5],
		['G6', 'live, wall, x n8n floor', ratio(whole, floor, 'wall'), 1.05],
		['G7', 'first piece, added, x AI Agent', over(added('ours: chat'), added(agentName)), 0.75],
		['G7', 'first piece, own share, ms', minus(first('ours: chat'), first('n8n floor')), 5],
		['G8', 'lag of a piece, ms, median', lag('ours: chat'), promptly],
		...others.flatMap(([name, peer]): Figure[] => [
			['G7', `${name}: first piece, added, x AI Agent`, over(added(name), added(peer)), 0.75],
			['G8', `${name}: lag of a piece, ms, median`, lag(name), promptly],
		]),
	];
}
