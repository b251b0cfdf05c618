import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import type { PreflightContext } from '../../../src/n8n/operation';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { describeInputs, modalityNames, type Modality } from '../../../src/router/messages';
import { checkKind, type Model } from '../../../src/router/model';
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
 * Rejects a model of the wrong kind or without an input that the call needs, and a call that could cost more than the cap, or an
 * unknown amount.
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
		if (entry) checkModel(entry, asked);
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

function checkModel(entry: Model, { messages }: ChatRequest): void {
	checkKind(entry, 'text', 'That is an operation of the Model Router node.');
	const { id, input_modalities: inputs } = entry;
	const needed =
		Array.isArray(inputs) && findModalities(messages).find((one) => !inputs.includes(one));
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

function findModalities(messages: ChatRequest['messages']): Modality[] {
	const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
	return parts.flatMap((part) => {
		const type = isPlainObject(part) ? part['type'] : undefined;
		const modality = typeof type === 'string' ? MODALITY_BY_TYPE[type] : undefined;
		return modality ? [modality] : [];
	});
}
