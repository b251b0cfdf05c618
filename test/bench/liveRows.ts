import { deltaSize, models, pacedPieces } from './answers.ts';
import { readLive } from './live.ts';
import type { Nodes } from './nodesUnderTest.ts';
import { rawBody, rawLongAnswer } from './raw.ts';
import { inN8n, raw, type Row } from './row.ts';
import type { Sizes } from './rows.ts';

/** Answers that are read while they come. */
export function liveRows(n8n: string, service: string, nodes: Nodes, { deltas }: Sizes): Row[] {
	const { long, paced } = models;
	const whole = { n8n, job: 'live', items: 1, live: 'gzip', text: deltas * deltaSize } as const;
	// each piece is a time of some ten digits
	const drip = { n8n, job: 'paced', items: 1, live: 'identity', text: pacedPieces * 10 } as const;
	const inChat = { ...drip, chat: true };
	const said = '={{ $json.chatInput }}';
	const agent = (model: string) => ({
		name: 'AI Agent + OpenAI Chat Model',
		tested: nodes.agent(),
		chatModel: nodes.chatModel(model),
	});
	const askRaw = async () =>
		await readLive(`${service}/v1/chat/completions`, rawBody(paced, 0, true), 'identity');
	return [
		raw('live', 'raw http + parser', async () => void (await rawLongAnswer(service)), 10),
		inN8n({ ...whole, name: 'n8n floor', tested: nodes.floor(long, 1), times: 5 }),
		inN8n({ ...whole, name: 'ours: chat', tested: nodes.ours(long, 5), times: 5 }),
		inN8n({ ...whole, ...agent(long) }),

		raw('paced', 'raw http', askRaw),
		inN8n({ ...drip, name: 'n8n floor', tested: nodes.floor(paced, 1) }),
		inN8n({ ...drip, name: 'ours: chat', tested: nodes.ours(paced, 5) }),
		inN8n({ ...drip, name: 'ours: agent', tested: nodes.oursAgent() }),
		inN8n({ ...drip, name: 'ours: assistant', tested: nodes.oursAssistant() }),
		inN8n({ ...inChat, name: 'ours: agent, Chat Trigger', tested: nodes.oursAgent(said) }),
		inN8n({ ...inChat, name: 'ours: assistant, Chat Trigger', tested: nodes.oursAssistant(said) }),
		inN8n({ ...drip, ...agent(paced) }),
		inN8n({
			...inChat,
			...agent(paced),
			name: 'AI Agent, Chat Trigger',
			tested: nodes.agent(said),
		}),
	];
}
