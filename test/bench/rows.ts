// What is measured. The order is that of a whole run: what matters most comes first, in case that time runs out.
import { DELTA_SIZE, LATENCY, models, PIECES, TURNS } from './answers.ts';
import { measureBoots } from './boots.ts';
import { interleave } from './figures.ts';
import type { Host } from './hosts.ts';
import { readLive } from './live.ts';
import { written } from './nodes.ts';
import { measureOwnShare, measureOwnTurn } from './own.ts';
import { measureManyItems, measureParked } from './memory.ts';
import { measureManyPolls, measurePolls } from './polls.ts';
import { measureExecutions, measureQueueParked, measureWatched } from './queueRows.ts';
import { rawBody, rawFileToDisk, rawItems, rawLongAnswer } from './raw.ts';
import type { Figure, Measure, Row, Sample, Samples } from './row.ts';
import { inspectTurns } from './turns.ts';
import { measureWays } from './ways.ts';
import { inN8n, inThisProcess, seen, type InN8n } from './workflows.ts';

/** Done by a workflow, or by this process. */
type Variant = InN8n | { raw: () => Promise<Sample | void>; times?: number };

/** A row whose variants are run in turns. */
const compared =
	(rounds: number, variantsOf: (host: Host) => Record<string, Variant>) =>
	async (host: Host): Promise<Samples> => {
		const takes = [];
		for (const [name, variant] of Object.entries(variantsOf(host)))
			takes.push([
				name,
				'raw' in variant
					? await inThisProcess(host, variant.raw, variant.times)
					: await inN8n(host, variant),
			]);
		return await interleave(host.rounds(rounds), Object.fromEntries(takes));
	};

/** "At most so many times what it takes n8n": its own limits are no goals for us. */
const times = (over: string, atMost: number, ...measures: Measure[]): Figure[] =>
	measures.map((measure) => ({ measure, over, atMost }));
const FLOOR = 'n8n floor';
const OPENAI = 'OpenAI Chat Model';
const HTTP = 'HTTP Request + header auth';

const items: Row = {
	id: 'items',
	title: '1,000 items, one expression each, 20 at once, over what n8n itself takes for them',
	where: 'n8n',
	shows: ['wall ms', 'CPU ms'],
	figures: times(FLOOR, 1.05, 'wall ms', 'CPU ms'),
	run: compared(11, ({ nodes, sizes }) => ({
		ours: { tested: nodes.message(models.short, 20), items: sizes.items },
		[FLOOR]: { tested: nodes.floor(models.short, 20), items: sizes.items },
	})),
};

const deltas: Row = {
	id: 'deltas',
	title: '10,000 deltas collected into one answer, over node:http and a parser of events',
	where: 'n8n',
	shows: ['wall ms', 'CPU ms'],
	figures: [
		{ measure: 'wall ms', minus: 'empty workflow', over: 'raw', atMost: 1.1 },
		{ measure: 'wall ms', over: FLOOR },
	],
	run: compared(9, ({ nodes, sizes, service }) => ({
		ours: {
			tested: nodes.message(models.long, 5),
			...{ times: 10, text: sizes.deltas * DELTA_SIZE },
		},
		'empty workflow': { tested: nodes.noOperation(), times: 10 },
		[FLOOR]: { tested: nodes.floor(models.long, 5), times: 10 },
		raw: { raw: async () => void (await rawLongAnswer(service.url)), times: 10 },
	})),
};

const burst: Row = {
	id: 'live burst',
	title: '10,000 deltas at full speed, live to a client that accepts gzip',
	where: 'n8n',
	shows: ['wall ms', 'CPU ms'],
	figures: times(FLOOR, 1.05, 'wall ms'),
	run: compared(11, ({ nodes, sizes, service }) => {
		const live = { live: 'gzip', times: 5, text: sizes.deltas * DELTA_SIZE } as const;
		return {
			ours: { ...live, tested: nodes.message(models.long, 5) },
			[FLOOR]: { ...live, tested: nodes.floor(models.long, 1) },
			raw: { raw: async () => void (await rawLongAnswer(service.url)), times: 5 },
		};
	}),
};

/** An AI Agent with our chat model, and with n8n's. */
const chatModel = (name: string, title: string, figures: Figure[], variant: object): Row => ({
	id: `chat model, ${name}`,
	title: `AI Agent with our chat model, over the same with n8n's OpenAI Chat Model: ${title}`,
	where: 'n8n',
	shows: figures.map(({ measure }) => measure),
	figures,
	run: compared(9, ({ nodes }) => {
		const more = { live: 'identity', model: models.words, text: PIECES * 10, ...variant } as const;
		// the first runs also load what counts tokens
		const shared = {
			...more,
			warmUps: 3,
			tested: nodes.aiAgent('chat' in more ? written : undefined),
		};
		return {
			ours: { ...shared, chatModel: nodes.chatModel(more.model) },
			[OPENAI]: { ...shared, chatModel: nodes.openAiChatModel(more.model) },
		};
	}),
});
const wordFigures = times(OPENAI, 1.05, 'first ms', 'lag ms');
const burstFigures = times(OPENAI, 1.05, 'wall ms');
const atFullSpeed = { model: models.long, text: 1 };

/** Pieces that come every 10 ms are read when they come. */
const paced = (where: 'webhook' | 'chat', names: string[]): Row => ({
	id: `live, ${where}`,
	title: `${PIECES} pieces, one every 10 ms, live at a ${where}, without compression`,
	where: 'n8n',
	shows: ['first ms', 'lag ms', 'lag 95 % ms'],
	figures: names.flatMap((of): Figure[] => [
		{ measure: 'first ms', of, minus: FLOOR, atMost: 3 },
		{ measure: 'lag ms', of, atMost: 2 },
	]),
	run: compared(7, ({ nodes, service }) => {
		const isChat = where === 'chat';
		const text = isChat ? written : undefined;
		const live = { live: 'identity', chat: isChat, text: PIECES * 10 } as const;
		const ask = async () =>
			seen(
				await readLive(
					`${service.url}/v1/chat/completions`,
					...([rawBody(models.paced, 0, true), 'identity'] as const),
				),
				live,
			);
		return {
			...(!isChat && { 'our message': { ...live, tested: nodes.message(models.paced, 5) } }),
			'our agent': { ...live, tested: nodes.agentMessage(text) },
			'our assistant': { ...live, tested: nodes.question(text) },
			[FLOOR]: { ...live, tested: nodes.floor(models.paced, 1, text) },
			'AI Agent': {
				...{ ...live, tested: nodes.aiAgent(text) },
				chatModel: nodes.openAiChatModel(models.paced),
			},
			raw: { raw: ask },
		};
	}),
});

const late: Row = {
	id: 'late items',
	title: `1,000 items, ${LATENCY} ms latency, 20 at once`,
	where: 'n8n',
	shows: ['wall ms', 'CPU ms', 'in flight'],
	figures: [
		...times(FLOOR, 1.05, 'wall ms'),
		{ measure: 'in flight', by: 'most', atMost: 20 },
		// the perfect time
		{ measure: 'wall ms', per: (1000 * LATENCY) / 20 },
	],
	run: compared(3, ({ nodes, sizes }) => ({
		ours: { tested: nodes.message(models.late, 20), items: sizes.items },
		[FLOOR]: { tested: nodes.floor(models.late, 20), items: sizes.items },
	})),
};

const peers: Row = {
	id: 'items, other nodes',
	title: '1,000 items, one expression each, beside what else a workflow can use for them',
	where: 'n8n',
	shows: ['wall ms', 'CPU ms'],
	figures: [
		{ measure: 'wall ms', over: HTTP },
		{ measure: 'wall ms', over: 'OpenAI' },
		{ measure: 'wall ms', over: 'raw undici' },
	],
	run: compared(1, ({ nodes, sizes, service }) => ({
		ours: { tested: nodes.message(models.short, 20), items: sizes.items },
		[HTTP]: { tested: nodes.http(models.short), items: sizes.items, warmUps: 1 },
		OpenAI: { tested: nodes.openAi(models.short), items: sizes.items, warmUps: 1 },
		'raw undici': {
			raw: async () => await rawItems(service.url, models.short, sizes.items, 20),
		},
	})),
};

const file: Row = {
	id: 'file',
	title: "a file of 500 MB into n8n's store",
	where: 'n8n',
	shows: ['wall ms', 'CPU ms', 'RSS + MB'],
	figures: [
		...times(HTTP, 1.05, 'wall ms', 'CPU ms'),
		{ measure: 'wall ms', over: 'raw to a file' },
		{ measure: 'RSS + MB', by: 'most', atMost: 30 },
	],
	run: compared(3, ({ nodes, sizes: { file: bytes }, service }) => ({
		ours: { tested: nodes.download(), items: [`file-${bytes}`], file: bytes, warmUps: 0 },
		[HTTP]: { tested: nodes.httpFile(), items: [`file-${bytes}`], file: bytes, warmUps: 0 },
		'raw to a file': { raw: async () => await rawFileToDisk(service.url, bytes) },
	})),
};

const conversation: Row = {
	id: 'conversation',
	title: `${TURNS} turns between two workspace agents, stored, beside an AI Agent with them as tools`,
	where: 'n8n',
	shows: ['turn ms', 'engine ms', 'stored kB', 'CPU ms'],
	figures: [
		{ measure: 'turn ms', atMost: 6 },
		{ measure: 'engine ms', atMost: 2 },
		{ measure: 'stored kB', by: 'most', atMost: 100 },
	],
	run: compared(5, ({ nodes, editor }) => {
		const names = ['Planner', 'Tester'];
		const inspect = async (id: string) => await inspectTurns(editor, id, names);
		return {
			ours: {
				...{ tested: nodes.conversation(), inspect },
				tools: names.map((name) => nodes.speaker(name)),
			},
			'AI Agent': {
				...{ tested: nodes.aiAgent(undefined, TURNS + 10), inspect },
				tools: names.map((name) => nodes.speaker(name, { sessionMode: 'new' })),
				chatModel: nodes.openAiChatModel(models.talk),
			},
		};
	}),
};

/** A row of a function of its own. */
const row = (
	id: string,
	title: string,
	where: Row['where'],
	figures: Figure[],
	run: Row['run'],
	shows: Measure[] = figures.map(({ measure }) => measure),
): Row => ({ id, title, where, figures, run, shows });

export const rows: readonly Row[] = [
	row(
		'ways',
		'what one message and one start with a ledger run of our code',
		'alone',
		[
			{ measure: 'calls', of: 'text message', atMost: 2000 },
			{ measure: 'functions', of: 'text message', atMost: 280 },
			{ measure: 'files', of: 'text message', atMost: 48 },
		],
		measureWays,
	),
	row(
		'own share',
		'what the node takes for an item by itself, without n8n',
		'alone',
		[{ measure: 'own us', atMost: 30 }],
		measureOwnShare,
	),
	row(
		'own turn',
		'what a conversation takes for a turn by itself, without n8n',
		'alone',
		[{ measure: 'own us', atMost: 100 }],
		measureOwnTurn,
	),
	items,
	deltas,
	burst,
	chatModel('words', 'words at a webhook', wordFigures, {}),
	chatModel('words in a chat', 'words at a Chat Trigger', wordFigures, { chat: true }),
	chatModel('burst', '10,000 deltas at full speed', burstFigures, atFullSpeed),
	chatModel('burst, gzip', 'the same, compressed', burstFigures, { ...atFullSpeed, live: 'gzip' }),
	late,
	paced('webhook', ['our message', 'our agent', 'our assistant']),
	paced('chat', ['our agent', 'our assistant']),
	conversation,
	file,
	peers,
	row(
		'polls',
		'a trigger polls 1,000 jobs, 8 at once, its ledger in n8n, beside the same requests without it',
		'fresh n8n',
		[
			...times('HTTP Request', 0.5, 'wall ms'),
			...times("n8n's helper", 2, 'wall ms'),
			{ measure: 'to n8n', atMost: 25 },
			{ measure: 'too early', by: 'most', atMost: 0 },
			{ measure: 'in flight', by: 'most', atMost: 8 },
		],
		measurePolls,
		['wall ms', 'CPU ms', 'to n8n', 'RSS + MB'],
	),
	row(
		'many polls',
		'a trigger polls 10,000 jobs until it has asked for all, in polls of 40 s at most',
		'fresh n8n',
		[
			{ measure: 'wall ms', by: 'most', atMost: 40_000 },
			{ measure: 'too early', by: 'most', atMost: 0 },
			{ measure: 'not ready', by: 'most', atMost: 0 },
		],
		measureManyPolls,
		['wall ms', 'CPU ms', 'asked', 'to n8n', 'RSS + MB'],
	),
	row(
		'many items',
		'memory for 10,000 items, each variant in an n8n just started',
		'fresh n8n',
		[{ measure: 'RSS + MB', minus: FLOOR, atMost: 50 }],
		measureManyItems,
		['wall ms', 'CPU ms', 'RSS + MB'],
	),
	row(
		'parked',
		"memory for 200 executions that wait for a job in n8n's database, over as many that have ended",
		'fresh n8n',
		[{ measure: 'RSS + MB', minus: 'ended', atMost: 50 }],
		measureParked,
	),
	row(
		'boot',
		'n8n started with the package, over n8n without',
		'alone',
		times('without', 1.03, 'wall ms', 'CPU ms'),
		measureBoots,
	),
	row(
		'queue, executions',
		'executions per second at a webhook in queue mode, ten callers, with one worker and with two',
		'queue',
		[{ measure: 'worker CPU ms', minus: 'HTTP Request', atMost: 1.5 }],
		measureExecutions,
		['per second', 'worker CPU ms', 'unanswered'],
	),
	row(
		'queue, parked',
		"memory of main and of the workers for executions that wait for a job in n8n's database",
		'queue',
		[{ measure: 'RSS + MB', of: 'main', atMost: 50 }],
		measureQueueParked,
		['RSS + MB', 'seconds'],
	),
	row(
		'queue, watched jobs',
		"main's trigger watches jobs, two workers get them with their files",
		'queue',
		[
			{ measure: 'undelivered', atMost: 0 },
			{ measure: 'fetched twice', atMost: 0 },
			{ measure: 'RSS + MB', of: 'asked again', atMost: 50 },
			{ measure: 'heap + MB', of: 'asked again' },
		],
		measureWatched,
		['RSS + MB', 'heap + MB', 'seconds', 'undelivered', 'fetched twice'],
	),
];
