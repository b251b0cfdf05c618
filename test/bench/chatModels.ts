import type { Instance } from '../n8n/instance.ts';
import { callLive } from '../n8n/liveCaller.ts';
import type { WorkflowNode } from '../n8n/workflow.ts';
import { deltaSize, models, words } from './answers.ts';
import type { Figure } from './goals.ts';
import type { Nodes } from './nodesUnderTest.ts';
import { compare, pairTable, takePairs, type Pairs } from './pairs.ts';
import { inN8n, type Row } from './row.ts';
import { takeSample, type Sample } from './sample.ts';
import type { LeanService } from './service.ts';
import { benchWorkflow, bodyOf } from './workflows.ts';

/** An AI Agent that is asked over and over. */
interface Case {
	name: string;
	model: string;
	/** How its answer is streamed. */
	live: 'identity' | 'gzip';
	/** Whether it begins at a Chat Trigger; by default it does at a webhook. */
	chat?: boolean;
}

/** The answer comes word by word. */
const [atWebhook, inChat] = ['words at a webhook', 'words in a chat'];
/** The answer comes as fast as it goes. */
const [burst, compressed] = ['burst', 'burst, gzip'];

const CASES: Case[] = [
	{ name: atWebhook, model: models.words, live: 'identity' },
	{ name: inChat, model: models.words, live: 'identity', chat: true },
	{ name: burst, model: models.long, live: 'identity' },
	{ name: compressed, model: models.long, live: 'gzip' },
];

/** What `--only` selects them by. */
export const chatModelNames = CASES.map(({ name }) => `chat model: ${name}`);

/** Runs of each that do not count: the first ones compile, and load what counts tokens. */
const WARM_UPS = 3;

/**
 * n8n's AI Agent with our chat model, beside the same agent with n8n's own OpenAI Chat Model: same service, same answer.
 *
 * @param wanted Of `chatModelNames`.
 * @param deltas How many the burst has.
 */
export async function measureChatModels(
	instance: Instance,
	service: LeanService,
	nodes: Nodes,
	{ wanted, count, deltas }: { wanted: string[]; count: number; deltas: number },
): Promise<Array<Pairs<Sample>>> {
	const found: Array<Pairs<Sample>> = [];
	const cases = CASES.filter(({ name }) => wanted.includes(`chat model: ${name}`));
	if (cases.some(({ model }) => model === models.long))
		for (const chatModel of [nodes.oursChatModel, nodes.chatModel])
			await expectWhole(instance, nodes, chatModel(models.long), deltas);
	for (const one of cases) {
		const sampler = async (name: string, chatModel: Nodes['chatModel']) => {
			const row = rowOf(instance, nodes, one, { name, chatModel });
			await row.prepare(instance.editor);
			for (let time = 0; time < WARM_UPS; time++) await row.check();
			return async () => await takeSample(row, instance.pid ?? 0, service);
		};
		const ours = await sampler('ours', nodes.oursChatModel);
		const peer = await sampler('peer', nodes.chatModel);
		found.push(await takePairs(one.name, count, { ours, peer }));
	}
	return found;
}

function rowOf(
	{ url }: Instance,
	nodes: Nodes,
	{ name: job, model, live, chat = false }: Case,
	{ name, chatModel }: { name: string; chatModel: Nodes['chatModel'] },
): Row {
	return inN8n({
		n8n: url,
		job: 'live',
		name: `chat model ${job} ${name}`,
		items: 1,
		tested: nodes.agent(chat ? '={{ $json.chatInput }}' : undefined),
		chatModel: chatModel(model),
		...{ live, chat },
		// each word is a time of some ten digits
		text: model === models.words ? words * 10 : 1,
	});
}

/** Text that comes fast may be sent in fewer pieces, but none of it may be missing. */
async function expectWhole(
	{ url, editor }: Instance,
	nodes: Nodes,
	chatModel: WorkflowNode,
	deltas: number,
): Promise<void> {
	const path = `whole-${chatModel.type}`.replace(/\W+/g, '-');
	const file = benchWorkflow(path, nodes.agent(), { live: true, chatModel });
	await editor.activate(await editor.importWorkflow(file));
	let length = 0;
	for await (const { type, content } of callLive(`${url}/webhook/${path}`, JSON.parse(bodyOf(1))))
		if (type === 'item') length += content?.length ?? 0;
	if (length !== deltas * deltaSize)
		throw new Error(`${chatModel.type}: ${length} of ${deltas * deltaSize} characters came`);
}

const isBurst = ({ name }: Pairs<Sample>) => name === burst || name === compressed;

const cpuMs = ({ cpu }: Sample) => cpu && cpu * 1000;

export const chatModelTable = (all: Array<Pairs<Sample>>): string =>
	`n8n's AI Agent with our chat model, beside the same with n8n's OpenAI Chat Model: the least and the median of each, and the ratio within each pair\n${pairTable(
		all,
		(pairs) =>
			isBurst(pairs)
				? [
						['wall ms', ({ wall }) => wall],
						['CPU ms', cpuMs],
						['requests', ({ requests }) => requests],
					]
				: [
						['first word ms', ({ first }) => first],
						['lag ms', ({ lag }) => lag],
						['lag 95 % ms', ({ lag95 }) => lag95],
						['CPU ms', cpuMs],
					],
	)}`;

/** By the medians of the pairs. */
export function chatModelGoals(all: Array<Pairs<Sample>>): Figure[] {
	const figure = (
		name: string,
		what: string,
		measure: (sample: Sample) => number | undefined,
	): Figure => {
		const pairs = all.find((each) => each.name === name);
		const measured = pairs && compare(pairs, measure)?.ratio.median;
		return ['M1', `chat model, ${name}: ${what}, x OpenAI Chat Model`, measured, 1.05];
	};
	return [
		figure(atWebhook, 'first word', ({ first }) => first),
		figure(inChat, 'first word', ({ first }) => first),
		figure(atWebhook, 'lag of a word', ({ lag }) => lag),
		figure(inChat, 'lag of a word', ({ lag }) => lag),
		figure(burst, 'wall', ({ wall }) => wall),
		figure(compressed, 'wall', ({ wall }) => wall),
	];
}
