import type { IDataObject } from 'n8n-workflow';

import { ask, askStreaming, type Question } from '../../../src/assistant/answer';
import type { AssistantAnswer } from '../../../src/assistant/events';
import { whatArrived } from '../../../src/n8n/incomplete';
import type { Call, Output } from '../../../src/n8n/operation';
import { explained } from '../../../src/service/errors';
import type { Asked } from './asked';
import { toolLines } from './toolLines';

/** Asks, waits for the whole answer, and makes an item of it. */
export async function askWhole(call: Call<Asked>): Promise<Output> {
	const { request, http, once, live } = call;
	const { question, same, onChat } = inChat(call);
	const {
		text,
		chatId = question.chat_id,
		requestId,
		body,
	} = await once(same, async () => {
		const answer = await ask(http, question);
		if (answer.chatId) onChat(answer.chatId);
		await live(answer.text);
		return answer;
	});
	return {
		json: {
			output: text,
			...(chatId && { chatId }),
			...request.told,
			complete: true,
			...(requestId && { requestId }),
			body: body as IDataObject,
		},
	};
}

/** Asks, reads the answer as it is made, and makes an item of it. */
export async function askLive(call: Call<Asked>): Promise<Output> {
	const { request, http, once, clock, live, hint } = call;
	const { question, same, onChat } = inChat(call);
	const { keepEvents, language, onIncomplete } = request;
	const aloud = request.showToolCalls ? toolLines(live) : { onText: live };

	const toItem = (answer: AssistantAnswer & { body?: unknown }, more: object): Output => {
		const { text, chatTitle, messageIds, toolCalls, events = [], requestId, body } = answer;
		const { chatId = question.chat_id } = answer;
		return {
			json: {
				output: text,
				...(chatId && { chatId }),
				...(chatTitle && { chatTitle }),
				...request.told,
				messageIds,
				toolCalls: toolCalls as unknown as IDataObject[],
				...more,
				...(requestId && { requestId }),
				...((keepEvents || !text) && { events: events as IDataObject[] }),
				...(body !== undefined && { body: body as IDataObject }),
			},
		};
	};

	try {
		const answer = await once(same, async () => {
			const listening = { ...aloud, keepEvents, language, onChat, now: clock.now };
			return await askStreaming(http, question, listening);
		});
		const lost = answer.text ? undefined : NO_TEXT;
		if (lost) hint(lost);
		return toItem(answer, { complete: true, ...(lost && { notice: lost }) });
	} catch (cause) {
		const arrived = whatArrived<AssistantAnswer>(cause);
		if (!arrived || onIncomplete === 'error') throw explained(cause);
		const { partial, notice, ids, requestId } = arrived;
		hint(notice);
		return toItem(
			{ ...ids, ...partial, ...(requestId && { requestId }) },
			{ complete: false, notice },
		);
	}
}

const NO_TEXT = 'No text was found in the answer; "events" holds what came.';

/**
 * The question as it is sent: with the chat that an item with the same key was given, where there was one.
 *
 * @returns `same`, what tells the question from another one when the node runs again: without an id that comes and goes.
 */
function inChat({ request, memory, note }: Call<Asked>) {
	const { message, chatId, chatKey, model } = request;
	const more = { ...(model && { model }) };
	const known = chatKey === undefined ? chatId : memory.get(`chat ${chatKey}`);
	const question: Question = { message, ...(known && { chat_id: known }), ...more };
	return {
		question,
		same: chatKey === undefined ? question : { message, chatKey, ...more },
		onChat(id: string) {
			note('chat', id);
			if (chatKey !== undefined) memory.set(`chat ${chatKey}`, id);
		},
	};
}
