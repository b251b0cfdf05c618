import { json, stream, type Answer } from '../answer.ts';
import { isFields, type Call, type Fields } from '../call.ts';
import { uuidOf } from '../ids.ts';
import { paced } from '../pace.ts';
import { modelAnswer } from '../../../demo/personas/model.ts';
import type { World } from '../world.ts';
import { numberOf, readMessages, wrongNumbers, type Ask } from './ask.ts';
import type { Model } from './catalog.ts';
import { invalid } from './error.ts';
import { useCache } from './cache.ts';
import { planAnswer } from './plan.ts';
import { responseEvents } from './responseEvents.ts';
import { responseObject, type Response } from './responseObject.ts';
import { isRun, startRun } from './run.ts';
import { isAnswer, modelFor } from './serving.ts';
import { refuseForgotten, think } from './thinking.ts';

/** POST /v1/responses (section 4C). */
export function createResponse(world: World, call: Call, key: string): Answer {
	const body = call.body;
	if (!isFields(body)) return invalid('the body is a JSON object');
	const model = modelFor(world, body.model, 'text');
	if (isAnswer(model)) return model;
	const ask = askOfResponse(body, model);
	if (typeof ask === 'string') return invalid(ask);

	const streamed = body.stream === true;
	if (world.personas) {
		ask.scripted = modelAnswer(ask, body.input, String(body.instructions ?? ''));
	}
	const { include } = body;
	const isEncrypted = Array.isArray(include) && include.includes('reasoning.encrypted_content');
	// as OpenAI's models that do not think
	if (isEncrypted && model.thinking !== 'items')
		return invalid('Encrypted content is not supported with this model.');
	const forgotten = model.thinking && refuseForgotten(world, model.thinking, body.input);
	if (forgotten) return forgotten;
	const plan = planAnswer(ask);
	useCache(world, key, model, ask, plan);
	const [first] = plan.choices;
	if (model.thinking === 'items' && isEncrypted && first.tools.length)
		first.thought = think(world, model.thinking);
	const { maxTokens } = ask;
	const run = startRun(world, call, key, model, plan, { maxTokens, streamed });
	if (!isRun(run)) return run;
	const number = world.next();
	const response: Response = {
		id: `resp_${uuidOf('response', number)}`,
		itemId: (index) => `item_${uuidOf('item', number, index)}`,
		created: Math.floor(world.now() / 1000),
		model: model.entry.id,
		choice: plan.choices[0],
		plan,
		run,
		forms: world.forms,
	};
	if (streamed) {
		return stream(paced(world, call, responseEvents(response)));
	}
	run.words = response.choice.words.length;
	run.settle();
	return json(responseObject(response, 'done'));
}

function askOfResponse(body: Fields, { entry, reasoning, writes }: Model): Ask | string {
	// section 4C: responses are not stored
	if (body.previous_response_id !== undefined && body.previous_response_id !== null) {
		return 'previous_response_id is not supported: send the whole history in input';
	}
	const wrong = wrongNumbers(body, 'max_output_tokens');
	if (wrong) return wrong;
	const { input, instructions } = body;
	if (instructions !== undefined && instructions !== null && typeof instructions !== 'string') {
		return 'instructions is text';
	}
	const messages = typeof input === 'string' && input ? [{ role: 'user', content: input }] : input;
	if (!Array.isArray(messages) || !messages.length) return 'input is required, text or messages';
	const said = readMessages(messages, 'input', entry);
	if (typeof said === 'string') return said;
	const format = isFields(body.text) && isFields(body.text.format) ? body.text.format : {};
	const effort = isFields(body.reasoning) ? body.reasoning.effort : undefined;
	return {
		...said,
		prompt: [instructions, said.prompt].filter(Boolean).join('\n'),
		maxTokens: numberOf(body.max_output_tokens),
		effort: typeof effort === 'string' ? effort : undefined,
		reasoning,
		writes,
		tools: Array.isArray(body.tools) ? body.tools.filter(isFields) : [],
		toolChoice: body.tool_choice,
		schema: format.type === 'json_schema' ? format.schema : undefined,
		jsonObject: format.type === 'json_object',
	};
}
