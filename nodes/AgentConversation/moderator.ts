import { type IExecuteFunctions, NodeConnectionTypes } from 'n8n-workflow';

import type { Conversation } from '../../src/conversation/conversation';
import {
	type Moderation,
	readModeration,
	toModeratorPrompt,
} from '../../src/conversation/nextTurn';
import type { AttachedTool } from '../../src/n8n/attachedTools';

/** A chat model as n8n hands it over, as far as it is used: LangChain is not imported. */
interface ChatModel {
	invoke(
		text: string,
		options: { signal?: AbortSignal | undefined },
	): Promise<{ content: unknown }>;
}

export const hasModerator = (n8n: IExecuteFunctions): boolean =>
	n8n
		.getParentNodes(n8n.getNode().name, {
			connectionType: NodeConnectionTypes.AiLanguageModel,
			depth: 1,
		})
		.some(({ disabled }) => !disabled);

/**
 * Asks the moderator who speaks next. A moderator that fails does not cost the turns so far: the next speaker in turn is asked.
 *
 * @throws when the execution is stopped.
 */
export async function askModerator(
	n8n: IExecuteFunctions,
	conversation: Conversation,
	instructions: string,
	speakers: Readonly<Record<string, AttachedTool>>,
): Promise<Moderation> {
	const signal = n8n.getExecutionCancelSignal();
	const descriptions = Object.fromEntries(
		Object.entries(speakers).map(([name, { description = '' }]) => [name, description]),
	);
	let answer: string | undefined;
	try {
		const model = (await n8n.getInputConnectionData(NodeConnectionTypes.AiLanguageModel, 0)) as
			| ChatModel
			| undefined;
		const prompt = toModeratorPrompt(conversation, instructions, descriptions);
		const { content } = (await model?.invoke(prompt, { signal })) ?? {};
		answer = textOf(content);
	} catch (cause) {
		signal?.throwIfAborted();
		n8n.logger.warn('The moderator of a conversation failed', {
			conversation: conversation.id,
			cause,
		});
	}
	return readModeration(conversation, answer);
}

/** The text of a message: a text, or a list of parts. */
function textOf(content: unknown): string | undefined {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return undefined;
	return content
		.map((part: unknown) =>
			typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : '',
		)
		.join('');
}
