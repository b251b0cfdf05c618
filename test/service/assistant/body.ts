import { json, text, type Answer } from '../answer.ts';
import { answerText } from '../directives.ts';
import { uuidOf } from '../ids.ts';
import { marketAnswer } from '../../../demo/personas/market.ts';
import type { World } from '../world.ts';
import type { Question } from './endpoint.ts';

/** The complete answer of `invoke_assistant`; its fields are not shown (section 2B). */
export function wholeAnswer(world: World, question: Question): Answer {
	const scripted = world.personas ? marketAnswer(question.said) : undefined;
	const answer = scripted?.text ?? answerText(question.said, 'chat');
	const ids = {
		chat_id: question.chatId,
		message_id: uuidOf('message', question.chatId, question.said.length),
		model: question.model,
	};
	switch (world.forms.assistantBody) {
		case 'answer':
			return json({ ...ids, answer });
		case 'content-parts':
			return json({ ...ids, content: [{ type: 'text', text: answer }] });
		case 'text':
			return text(answer);
	}
}
