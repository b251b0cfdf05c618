// Rows whose variants are workflows of one n8n, and run in turns.
import { DELTA_SIZE, LINE_SIZE, lineWorkspace, models, PIECES, TURNS } from './answers.ts';
import { interleave, type Take } from './figures.ts';
import type { Host } from './hosts.ts';
import { written } from './nodes.ts';
import { AGENT, FLOOR, HTTP, OPENAI, OPENAI_MODEL, times } from './row.ts';
import type { Figure, Measure, Row } from './row.ts';
import { inspectTurns } from './turns.ts';
import { inN8n, type InN8n } from './workflows.ts';

interface Compared extends Pick<Row, 'id' | 'title' | 'shows' | 'figures'> {
	rounds: number;
	variants(host: Host): Record<string, InN8n>;
}

const compared = ({ rounds, variants, ...row }: Compared): Row => ({
	...row,
	where: 'n8n',
	async run(host) {
		const takes: Record<string, Take> = {};
		for (const [name, variant] of Object.entries(variants(host)))
			takes[name] = await inN8n(host, variant);
		return await interleave(host.rounds(rounds), takes);
	},
});

const ONE_KEY = 'one key';

const messages = [
	compared({
		id: 'items',
		title: '1,000 items, one expression each, 20 at once',
		shows: ['wall ms', 'CPU ms'],
		figures: [
			...times(FLOOR, 1.3, 'wall ms', 'CPU ms'),
			...times(HTTP, 1, 'wall ms'),
			...times(OPENAI, 1, 'wall ms'),
		],
		rounds: 7,
		variants: ({ nodes, sizes: { items } }) => ({
			ours: { tested: nodes.message(models.short, 20), items },
			[FLOOR]: { tested: nodes.floor(models.short, 20), items },
			[HTTP]: { tested: nodes.httpMessage(models.short), items },
			[OPENAI]: { tested: nodes.openAi(models.short), items },
		}),
	}),
	compared({
		id: 'items, keys',
		title:
			'1,000 items in a real n8n with its database, which reads the credential for each: the key is an expression, or the same for all',
		shows: ['wall ms', 'CPU ms'],
		figures: [
			...times(HTTP, 1, 'wall ms'),
			{ measure: 'wall ms', of: ONE_KEY, over: HTTP, atMost: 1 },
			{ measure: 'wall ms', over: ONE_KEY },
		],
		rounds: 7,
		variants: ({ nodes, sizes: { items } }) => ({
			ours: { tested: nodes.message(models.short, 20, true), items },
			[ONE_KEY]: { tested: nodes.message(models.short, 20), items },
			[HTTP]: { tested: nodes.httpMessage(models.short, true), items },
		}),
	}),
	compared({
		id: 'deltas',
		title: '10,000 deltas collected into one answer',
		shows: ['wall ms', 'CPU ms'],
		figures: times(FLOOR, 1.25, 'wall ms'),
		rounds: 9,
		variants({ nodes, sizes: { deltas } }) {
			const text = deltas * DELTA_SIZE;
			return {
				ours: { tested: nodes.message(models.long, 5), times: 10, text },
				[FLOOR]: { tested: nodes.floor(models.long, 5), times: 10 },
			};
		},
	}),
	compared({
		id: 'one line of 8 MB',
		title: 'an answer of one JSON body of 8 MB without a line break',
		shows: ['wall ms', 'CPU ms', 'RSS + MB'],
		figures: times(HTTP, 2, 'wall ms'),
		rounds: 7,
		variants: ({ nodes }) => ({
			ours: { tested: nodes.lineMessage(), times: 5, text: LINE_SIZE },
			[HTTP]: { tested: nodes.httpPrompt(lineWorkspace), times: 5, text: LINE_SIZE },
		}),
	}),
	compared({
		id: 'live burst',
		title: '10,000 deltas at full speed, live to a client that accepts gzip',
		shows: ['wall ms', 'CPU ms'],
		figures: [...times(FLOOR, 1.25, 'wall ms'), ...times(AGENT, 1, 'wall ms')],
		rounds: 7,
		variants({ nodes, sizes: { deltas } }) {
			const live = { live: 'gzip', times: 5, text: deltas * DELTA_SIZE } as const;
			return {
				ours: { ...live, tested: nodes.message(models.long, 5) },
				[FLOOR]: { ...live, tested: nodes.floor(models.long, 1) },
				[AGENT]: {
					...live,
					times: 1,
					tested: nodes.aiAgent(),
					warmUps: 3,
					chatModel: nodes.openAiChatModel(models.long),
				},
			};
		},
	}),
];

/** An AI Agent with our chat model, and with n8n's own. */
const chatModel = (
	name: string,
	model: string,
	measures: Measure[],
	{ atMost, ...how }: Pick<InN8n, 'live' | 'chat' | 'text'> & { atMost: number },
) =>
	compared({
		id: `chat model, ${name}`,
		title: "an AI Agent with our chat model, over the same with n8n's OpenAI Chat Model",
		shows: [...measures, 'CPU ms'],
		figures: times(OPENAI_MODEL, atMost, ...measures),
		rounds: 9,
		variants({ nodes }) {
			const agent = nodes.aiAgent(how.chat ? written : undefined);
			// the first runs also load what counts tokens
			const shared = { ...how, tested: agent, warmUps: 3 };
			return {
				ours: { ...shared, chatModel: nodes.chatModel(model) },
				[OPENAI_MODEL]: { ...shared, chatModel: nodes.openAiChatModel(model) },
			};
		},
	});

const words = { live: 'identity', text: PIECES * 10, atMost: 1.1 } as const;
const chatModels = [
	chatModel('words', models.words, ['first ms', 'lag ms'], words),
	chatModel('words in a chat', models.words, ['first ms', 'lag ms'], { ...words, chat: true }),
	chatModel('burst', models.long, ['wall ms'], { live: 'identity', atMost: 1 }),
	chatModel('burst, gzip', models.long, ['wall ms'], { live: 'gzip', atMost: 1 }),
];

/** Pieces that are read when they come. Of their lag, which is a few milliseconds, nobody sees anything. */
const paced = (where: 'webhook' | 'chat', ours: string[]) =>
	compared({
		id: `live, ${where}`,
		title: `${PIECES} pieces, one every 10 ms, live at a ${where}, without compression`,
		shows: ['first ms', 'lag ms', 'lag 95 % ms'],
		figures: ours.flatMap((of): Figure[] => [
			{ measure: 'first ms', of, over: AGENT, atMost: 1 },
			{ measure: 'lag ms', of },
		]),
		rounds: 7,
		variants({ nodes }) {
			const [chat, text] = where === 'chat' ? [true, written] : [false, undefined];
			const live = { live: 'identity', chat, text: PIECES * 10 } as const;
			return {
				...(!chat && { 'our message': { ...live, tested: nodes.message(models.paced, 5) } }),
				'our agent': { ...live, tested: nodes.agentMessage(text) },
				'our assistant': { ...live, tested: nodes.question(text) },
				[FLOOR]: { ...live, tested: nodes.floor(models.paced, 1, text) },
				[AGENT]: {
					...live,
					tested: nodes.aiAgent(text),
					warmUps: 3,
					chatModel: nodes.openAiChatModel(models.paced),
				},
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
			...times(AGENT, 0.1, 'turn ms'),
			...times(AGENT, 0.2, 'stored kB'),
			{ measure: 'turn ms', of: ROUNDS, over: AGENT },
		],
		rounds: 5,
		variants({ nodes, editor }) {
			const names = ['Planner', 'Tester'];
			const inspect = async (id: string) => await inspectTurns(editor, id, names);
			const tools = names.map((name) => nodes.speaker(name));
			return {
				ours: { tested: nodes.conversation(), inspect, tools },
				[ROUNDS]: { tested: nodes.conversation({ turnOrder: 'sameMessage' }), inspect, tools },
				[AGENT]: {
					tested: nodes.aiAgent(undefined, TURNS + 10),
					inspect,
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
		figures: [...times(HTTP, 1.1, 'wall ms'), { measure: 'RSS + MB', by: 'most', atMost: 30 }],
		rounds: 3,
		variants({ nodes, sizes: { file } }) {
			const one = { items: [`file-${file}`], file, warmUps: 0 };
			return {
				ours: { ...one, tested: nodes.download() },
				[HTTP]: { ...one, tested: nodes.httpFile() },
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
