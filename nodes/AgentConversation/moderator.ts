import { type IExecuteFunctions, NodeConnectionTypes } from 'n8n-workflow';

import type { Conclusion, Conversation } from '../../src/conversation/conversation';
import { checkSpending, failsNode, sumCosts } from '../../src/conversation/ending';
import {
	type Moderation,
	readModeration,
	toModeratorPrompt,
} from '../../src/conversation/nextTurn';
import { isAmount } from '../../src/conversation/amounts';
import { type Misfit, toResultPrompt } from '../../src/conversation/result';
import { messageOf } from '../../src/core/errors';
import { extractText } from '../../src/core/extractText';
import { compileSchema } from '../../src/core/jsonSchema';
import { Big } from '../../src/core/money';
import { type AttachedTool, listAttached } from '../../src/n8n/attachedTools';
import { regexEngine } from '../../src/n8n/n8nVersions';
import { getMemory, createExecutionCosts } from '../../src/n8n/memory/executionMemory';
import { getNodeType, getRunData, getRunIndex } from '../../src/n8n/platform';
import { createStructuredReader } from '../../src/core/structuredAnswer';
import { isOurType } from './speakers';

/** The part of LangChain's chat model that is used. LangChain is not imported. */
interface ChatModel {
	invoke(
		text: string,
		options: { signal?: AbortSignal | undefined },
	): Promise<{ content: unknown }>;
}

/** The name of the node that is connected as Moderator. */
export const findModerator = (n8n: IExecuteFunctions): string | undefined =>
	listAttached(n8n, n8n.getNode().name, 'ai_languageModel')[0]?.name;

/**
 * Asks the moderator who speaks next. If the moderator fails, the next speaker in turn is asked.
 *
 * @throws when the execution is stopped.
 */
export async function askModerator(
	n8n: IExecuteFunctions,
	conversation: Conversation,
	instructions: string,
	speakers: Readonly<Record<string, AttachedTool>>,
): Promise<Moderation> {
	const prompt = toModeratorPrompt(conversation, instructions, speakers);
	const { answer } = await askModel(n8n, conversation, prompt);
	return readModeration(conversation, answer);
}

/**
 * Asks the model connected as Moderator for the result of a conversation that has ended, and again if its answer does not fit the schema.
 *
 * The answer is remembered, because n8n may call the node again with the same turns, on Retry On Fail and on "Retry".
 *
 * @returns the conversation with its result, or the reason why there is none.
 * @throws when the execution is stopped.
 */
export async function conclude(
	n8n: IExecuteFunctions,
	itemIndex: number,
	conversation: Conversation,
): Promise<Conversation> {
	const { id, ending, rules, conclusion: known } = conversation;
	if (!ending || !rules.resultSchema || known || failsNode(conversation)) return conversation;
	const memory = getMemory(n8n, 'node') as { conclusions?: Record<string, Kept> };
	const kept = (memory.conclusions ??= {});
	const of = `${getRunIndex(n8n)} ${id}`;
	if (kept[itemIndex]?.of === of)
		return { ...conversation, conclusion: kept[itemIndex].conclusion ?? INTERRUPTED };
	kept[itemIndex] = { of };
	const conclusion = await askForResult(n8n, conversation);
	kept[itemIndex] = { of, conclusion };
	return { ...conversation, conclusion };
}

/** The first answer, and one more if it does not fit. */
const MAX_CALLS = 2;

/** What is remembered for an item: its run and conversation, and the conclusion unless the request was interrupted. */
interface Kept {
	of: string;
	conclusion?: Conclusion;
}

const INTERRUPTED: Conclusion = {
	output: {
		resultError:
			'An earlier request for the result was interrupted. It was not repeated, because it may have been charged.',
	},
};

async function askForResult(
	n8n: IExecuteFunctions,
	conversation: Conversation,
): Promise<Conclusion> {
	const calls: Asked[] = [];
	const output = await readResult(n8n, conversation, calls);
	const priced = calls.filter(({ costUsd }) => costUsd !== undefined);
	return {
		output,
		...(priced.length && { costUsd: sumCosts(priced) }),
		...(priced.length < calls.length && { withoutCost: [findModerator(n8n) ?? 'Moderator'] }),
	};
}

/** @param calls Filled with the calls to the model. */
async function readResult(
	n8n: IExecuteFunctions,
	conversation: Conversation,
	calls: Asked[],
): Promise<Conclusion['output']> {
	const { turns, rules } = conversation;
	if (!turns.some(({ text }) => text.trim()))
		return { resultError: 'Nobody has said anything, so the model was not asked.' };
	const read = createStructuredReader(compileSchema(rules.resultSchema ?? {}, regexEngine));
	let misfit: Misfit | undefined;
	while (calls.length < MAX_CALLS) {
		const reached = checkSpending(rules.spendingCap, [...turns, ...calls]);
		const why = reached && `${reached.reason}, so the model was not asked.`;
		if (why) return { resultError: misfit ? `${misfit.reason} ${why}` : why };
		const call = await askModel(n8n, conversation, toResultPrompt(conversation, misfit));
		calls.push(call);
		const { answer, error } = call;
		if (answer === undefined) return { resultError: `The model could not be asked: ${error}` };
		const structured = read(answer);
		if ('value' in structured) return { result: structured.value };
		misfit = { answer, reason: structured.reason };
	}
	return { resultError: misfit?.reason ?? '' };
}

/** The moderator's answer or error, and the cost that it reports, in USD. */
interface Asked {
	answer?: string;
	error?: string;
	costUsd?: number;
}

/** @throws when the execution is stopped. */
async function askModel(
	n8n: IExecuteFunctions,
	{ id }: Conversation,
	prompt: string,
): Promise<Asked> {
	const signal = n8n.getExecutionCancelSignal();
	const listCalls = () => getRunData(n8n)?.[findModerator(n8n) ?? ''] ?? [];
	const before = listCalls().length;
	try {
		const model = (await n8n.getInputConnectionData(NodeConnectionTypes.AiLanguageModel, 0)) as
			| ChatModel
			| undefined;
		if (!model) throw new Error('no model is connected as Moderator');
		const { content } = await model.invoke(prompt, { signal });
		const costs = listCalls()
			.slice(before)
			.map(({ data }) => data?.['ai_languageModel']?.[0]?.[0]?.json['costUsd'])
			.filter(isAmount)
			.map((costUsd) => ({ costUsd }));
		// our chat model counts by itself
		if (costs.length && !isOurType(n8n, getNodeType(n8n, findModerator(n8n) ?? '')))
			createExecutionCosts(n8n, '').add(new Big(sumCosts(costs)).times(1e6));
		return {
			answer: extractText(content) ?? '',
			...(costs.length && { costUsd: sumCosts(costs) }),
		};
	} catch (cause) {
		signal?.throwIfAborted();
		n8n.logger.warn('The moderator of a conversation failed', { conversation: id, cause });
		return { error: messageOf(cause) };
	}
}
