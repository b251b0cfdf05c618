// Rows whose variants are workflows of one n8n, or done by this process, and run in turns.
import { DELTA_SIZE, models, PIECES, TURNS } from './answers.ts';
import { interleave, type Take } from './figures.ts';
import type { Host } from './hosts.ts';
import { readLive } from './live.ts';
import { written } from './nodes.ts';
import { rawBody, rawFileToDisk, rawLongAnswer } from './raw.ts';
import type { Figure, Measure, Row, Sample } from './row.ts';
import { inspectTurns } from './turns.ts';
import { inN8n, inThisProcess, seen, type InN8n } from './workflows.ts';

type Variant = InN8n | { raw: () => Promise<Sample | void>; times?: number };

interface Compared extends Pick<Row, 'id' | 'title' | 'shows' | 'figures'> {
	rounds: number;
	variants(host: Host): Record<string, Variant>;
}

const compared = ({ rounds, variants, ...row }: Compared): Row => ({
	...row,
	where: 'n8n',
	async run(host) {
		const takes: Record<string, Take> = {};
		for (const [name, variant] of Object.entries(variants(host)))
			takes[name] =
				'raw' in variant
					? await inThisProcess(host, variant.raw, variant.times)
					: await inN8n(host, variant);
		return await interleave(host.rounds(rounds), takes);
	},
});

/** "At most so many times what n8n takes": goals below its own limits are not to be had. */
export const times = (over: string, atMost: number, ...measures: Measure[]): Figure[] =>
	measures.map((measure) => ({ measure, over, atMost }));

const FLOOR = 'n8n floor';
const OPENAI = 'OpenAI Chat Model';
const HTTP = 'HTTP Request + header auth';

const messages = [
	compared({
		id: 'items',
		title: '1,000 items, one expression each, 20 at once, over what n8n itself takes for them',
		shows: ['wall ms', 'CPU ms'],
		figures: times(FLOOR, 1.05, 'wall ms', 'CPU ms'),
		rounds: 11,
		variants: ({ nodes, sizes: { items } }) => ({
			ours: { tested: nodes.message(models.short, 20), items },
			[FLOOR]: { tested: nodes.floor(models.short, 20), items },
		}),
	}),
	compared({
		id: 'deltas',
		title: '10,000 deltas collected into one answer, over node:http and a parser of events',
		shows: ['wall ms', 'CPU ms'],
		figures: [
			{ measure: 'wall ms', minus: 'empty workflow', over: 'raw', atMost: 1.1 },
			{ measure: 'wall ms', over: FLOOR },
		],
		rounds: 9,
		variants({ nodes, sizes: { deltas }, service }) {
			const text = deltas * DELTA_SIZE;
			return {
				ours: { tested: nodes.message(models.long, 5), times: 10, text },
				'empty workflow': { tested: nodes.noOperation(), times: 10 },
				[FLOOR]: { tested: nodes.floor(models.long, 5), times: 10 },
				raw: { raw: async () => void (await rawLongAnswer(service.url)), times: 10 },
			};
		},
	}),
	compared({
		id: 'live burst',
		title: '10,000 deltas at full speed, live to a client that accepts gzip',
		shows: ['wall ms', 'CPU ms'],
		figures: times(FLOOR, 1.05, 'wall ms'),
		rounds: 11,
		variants({ nodes, sizes: { deltas }, service }) {
			const live = { live: 'gzip', times: 5, text: deltas * DELTA_SIZE } as const;
			return {
				ours: { ...live, tested: nodes.message(models.long, 5) },
				[FLOOR]: { ...live, tested: nodes.floor(models.long, 1) },
				raw: { raw: async () => void (await rawLongAnswer(service.url)), times: 5 },
			};
		},
	}),
];

/** An AI Agent with our chat model, and with n8n's own. */
const chatModel = (
	name: string,
	model: string,
	measures: Measure[],
	how: Pick<InN8n, 'live' | 'chat' | 'text'>,
) =>
	compared({
		id: `chat model, ${name}`,
		title: "an AI Agent with our chat model, over the same with n8n's OpenAI Chat Model",
		shows: [...measures, 'CPU ms'],
		figures: times(OPENAI, 1.05, ...measures),
		rounds: 9,
		variants({ nodes }) {
			const agent = nodes.aiAgent(how.chat ? written : undefined);
			// the first runs also load what counts tokens
			const shared = { ...how, tested: agent, warmUps: 3 };
			return {
				ours: { ...shared, chatModel: nodes.chatModel(model) },
				[OPENAI]: { ...shared, chatModel: nodes.openAiChatModel(model) },
			};
		},
	});

const words = { live: 'identity', text: PIECES * 10 } as const;
const chatModels = [
	chatModel('words', models.words, ['first ms', 'lag ms'], words),
	chatModel('words in a chat', models.words, ['first ms', 'lag ms'], { ...words, chat: true }),
	chatModel('burst', models.long, ['wall ms'], { live: 'identity' }),
	chatModel('burst, gzip', models.long, ['wall ms'], { live: 'gzip' }),
];

/** Pieces that are read when they come. */
const paced = (where: 'webhook' | 'chat', ours: string[]) =>
	compared({
		id: `live, ${where}`,
		title: `${PIECES} pieces, one every 10 ms, live at a ${where}, without compression`,
		shows: ['first ms', 'lag ms', 'lag 95 % ms'],
		figures: ours.flatMap((of): Figure[] => [
			{ measure: 'first ms', of, minus: FLOOR, atMost: 3 },
			{ measure: 'lag ms', of, atMost: 2 },
		]),
		rounds: 7,
		variants({ nodes, service }) {
			const [chat, text] = where === 'chat' ? [true, written] : [false, undefined];
			const live = { live: 'identity', chat, text: PIECES * 10 } as const;
			const [address, body] = [`${service.url}/v1/chat/completions`, rawBody(models.paced)];
			return {
				...(!chat && { 'our message': { ...live, tested: nodes.message(models.paced, 5) } }),
				'our agent': { ...live, tested: nodes.agentMessage(text) },
				'our assistant': { ...live, tested: nodes.question(text) },
				[FLOOR]: { ...live, tested: nodes.floor(models.paced, 1, text) },
				'AI Agent': {
					...{ ...live, tested: nodes.aiAgent(text) },
					chatModel: nodes.openAiChatModel(models.paced),
				},
				raw: { raw: async () => seen(await readLive(address, body, 'identity'), live) },
			};
		},
	});

const ROUNDS = 'same message to all';

const others = [
	compared({
		id: 'conversation',
		title: `${TURNS} turns between two workspace agents, stored, beside an AI Agent with them as tools`,
		shows: ['turn ms', 'engine ms', 'stored kB', 'CPU ms'],
		figures: [
			{ measure: 'turn ms', atMost: 6 },
			{ measure: 'engine ms', atMost: 2 },
			{ measure: 'stored kB', by: 'most', atMost: 100 },
			// a round of two speakers, in which both get the same message: 20 ms more than two turns
			{ measure: 'turn ms', of: ROUNDS, minus: 'ours', atMost: 10 },
			{ measure: 'stored kB', of: ROUNDS, by: 'most', atMost: 100 },
		],
		rounds: 5,
		variants({ nodes, editor }) {
			const names = ['Planner', 'Tester'];
			const inspect = async (id: string) => await inspectTurns(editor, id, names);
			const tools = names.map((name) => nodes.speaker(name));
			return {
				ours: { tested: nodes.conversation(), inspect, tools },
				[ROUNDS]: { tested: nodes.conversation({ turnOrder: 'sameMessage' }), inspect, tools },
				'AI Agent': {
					...{ tested: nodes.aiAgent(undefined, TURNS + 10), inspect },
					tools: names.map((name) => nodes.speaker(name, { sessionMode: 'new' })),
					chatModel: nodes.openAiChatModel(models.talk),
				},
			};
		},
	}),
	compared({
		id: 'file',
		title: "a file of 500 MB into n8n's store",
		shows: ['wall ms', 'CPU ms', 'RSS + MB'],
		figures: [
			...times(HTTP, 1.05, 'wall ms', 'CPU ms'),
			{ measure: 'wall ms', over: 'raw to a file' },
			{ measure: 'RSS + MB', by: 'most', atMost: 30 },
		],
		rounds: 3,
		variants({ nodes, sizes: { file }, service }) {
			const one = { items: [`file-${file}`], file, warmUps: 0 };
			return {
				ours: { ...one, tested: nodes.download() },
				[HTTP]: { ...one, tested: nodes.httpFile() },
				'raw to a file': { raw: async () => await rawFileToDisk(service.url, file) },
			};
		},
	}),
];

export const comparedRows: Row[] = [
	...messages,
	...chatModels,
	paced('webhook', ['our message', 'our agent', 'our assistant']),
	paced('chat', ['our agent', 'our assistant']),
	...others,
];
