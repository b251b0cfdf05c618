import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import type { PreflightContext } from '../../../src/n8n/operation';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { describeInputs, modalityNames, type Modality } from '../../../src/router/messages';
import { checkKind, type Model } from '../../../src/router/model';
import { readAbilities } from '../../../src/router/modelAbilities';
import { maximumTextCost, type CostBound, type NoCostBound } from '../../../src/router/pricing';
import { checkMaximumCost } from '../../../src/router/spendingCap';
import { checkAgainstCatalog } from '../catalog';
import type { ChatModelValues } from './callBody';

/** What the catalog says of a call. */
interface CheckedCall {
	/** Absent if the catalog does not have the model, or could not be read. */
	entry?: Model;
	/** The most that it can cost. */
	bound: CostBound | NoCostBound;
}

/**
 * Rejects a model that cannot do what the call needs, and a call that could cost more than the cap, or an unknown amount.
 *
 * @param asked In chat completions.
 * @param body As it is sent.
 */
export async function checkCall(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	asked: ChatRequest,
	body: Record<string, unknown>,
	{ spendingCapPerCall, options }: Pick<ChatModelValues, 'spendingCapPerCall' | 'options'>,
): Promise<CheckedCall> {
	let checked: CheckedCall | undefined;
	await checkAgainstCatalog(context, asked.model, (found) => {
		const entry = 'entry' in found ? found.entry : undefined;
		if (entry) checkAbilities(entry, asked);
		checked = {
			...(entry && { entry }),
			bound: 'entry' in found ? maximumTextCost(found.entry, body) : { unbounded: found.missing },
		};
		checkMaximumCost(checked.bound, {
			cap: spendingCapPerCall,
			name: 'Spending Cap per Call',
			allowUnknownCost: options.allowUnknownCost ?? false,
		});
	});
	return checked ?? { bound: { unbounded: 'the catalog was not read' } };
}

function checkAbilities(entry: Model, { tools, messages }: ChatRequest): void {
	checkKind(entry, 'text', 'That is an operation of the Model Router node.');
	const { id } = entry;
	const abilities = readAbilities(entry);
	const usesTools = Array.isArray(tools) && tools.length > 0;
	if (usesTools && abilities.tools === false)
		throw invalidInputError(
			`The model ${id} cannot call tools`,
			'Nothing was sent. The catalog says so. Choose another model, or remove the tools of the AI agent.',
		);
	if (abilities.streaming === false)
		throw invalidInputError(
			`The model ${id} cannot stream its answer`,
			'Nothing was sent. The catalog says so, and this node always streams inside. Choose another model.',
		);
	const { input_modalities: inputs } = entry;
	const needed =
		Array.isArray(inputs) && findModality(messages).find((one) => !inputs.includes(one));
	if (needed)
		throw invalidInputError(
			`The model ${id} does not take ${modalityNames[needed]}`,
			`Nothing was sent. It takes: ${describeInputs(inputs)}. Choose another model, or leave the file out.`,
		);
}

/** What the parts of messages are, by their types in chat completions. */
const MODALITY_BY_TYPE: Record<string, Modality> = {
	image_url: 'image',
	input_audio: 'audio',
	audio_url: 'audio',
	video_url: 'video',
	file: 'file',
};

function findModality(messages: ChatRequest['messages']): Array<Modality> {
	const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
	return parts.flatMap((part) => {
		const type = isPlainObject(part) ? part['type'] : undefined;
		const modality = typeof type === 'string' ? MODALITY_BY_TYPE[type] : undefined;
		return modality ? [modality] : [];
	});
}
