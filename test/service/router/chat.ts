import { json, stream, type Answer } from '../answer.ts';
import { isFields, type Call } from '../call.ts';
import { uuidOf } from '../ids.ts';
import { paced } from '../pace.ts';
import { modelAnswer } from '../../../demo/personas/model.ts';
import type { World } from '../world.ts';
import { askOfChat } from './ask.ts';
import { chatChunks, chatMessage } from './chatChunks.ts';
import { invalid } from './error.ts';
import { useCache } from './cache.ts';
import { planAnswer } from './plan.ts';
import { isRun, startRun } from './run.ts';
import { isAnswer, modelFor } from './serving.ts';
import { refuseForgotten, think } from './thinking.ts';
import { chatUsage } from './usage.ts';

/** What all chunks of one completion have in common. */
export interface Completion {
	id: string;
	created: number;
	model: string;
}

/** POST /v1/chat/completions (section 4C). */
export function completeChat(world: World, call: Call, key: string): Answer {
	const body = call.body;
	if (!isFields(body)) return invalid('the body is a JSON object');
	const model = modelFor(world, body.model, 'text');
	if (isAnswer(model)) return model;
	const ask = askOfChat(body, model);
	if (typeof ask === 'string') return invalid(ask);
	const choices = body.n === undefined || body.n === null ? 1 : Number(body.n);
	if (!Number.isInteger(choices) || choices < 1 || choices > 8) {
		return invalid('n is a whole number from 1 to 8');
	}

	const streamed = body.stream === true;
	if (world.personas) ask.scripted = modelAnswer(ask, body.messages, '');
	const forgotten = model.thinking && refuseForgotten(world, model.thinking, body.messages);
	if (forgotten) return forgotten;
	const plan = planAnswer(ask, choices);
	useCache(world, key, model, ask, plan);
	const [first] = plan.choices;
	const thinksNow = first.tools.length || (model.thinking === 'content' && ask.tools.length);
	if (model.thinking && thinksNow) first.thought = think(world, model.thinking);
	const run = startRun(world, call, key, model, plan, { maxTokens: ask.maxTokens, streamed });
	if (!isRun(run)) return run;
	const completion = {
		id: `chatcmpl-${uuidOf('completion', world.next())}`,
		created: Math.floor(world.now() / 1000),
		model: model.entry.id,
	};
	if (streamed) {
		return stream(paced(world, call, chatChunks(completion, plan, run, world.forms)));
	}
	run.words = plan.choices.reduce((sum, { words }) => sum + words.length, 0);
	run.settle();
	return json({
		...completion,
		object: 'chat.completion',
		choices: plan.choices.map((choice, index) => ({
			index,
			message: chatMessage(choice),
			logprobs: null,
			finish_reason: choice.finish,
		})),
		usage: chatUsage(plan, run),
	});
}
