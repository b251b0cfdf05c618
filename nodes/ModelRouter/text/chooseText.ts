import { checkCaps } from '../../../src/core/caps';
import { invalidInputError } from '../../../src/core/errors';
import type { PreflightContext } from '../../../src/n8n/operation';
import { type Attachment, checkInputs, type Modality } from '../../../src/router/messages';
import { checkKind, type Model } from '../../../src/router/model';
import type { ModelChoice } from '../../../src/router/modelLists';
import { unifyOutputLimits } from '../../../src/router/outputLimits';
import { maximumTextCost } from '../../../src/router/pricing';
import { estimatePromptTokens } from '../../../src/router/promptTokens';
import { protocols } from '../../../src/router/protocols';
import { openSource } from '../acrossResources.params';
import type { CatalogContext } from '../catalog';
import { chooseModels, type Chosen } from '../modelChoice';
import {
	type Body,
	limitOutput,
	resolveModality,
	type TextLimits,
	type TextRequest,
	withModel,
} from './textRequest';

/** Rejects a request as `chooseText` does, and files that do not exist. */
export async function checkTextRequest(context: PreflightContext<TextRequest>): Promise<void> {
	const { request, findFile } = context;
	const files = request.attachments.map((source) => {
		const file = openSource(source, findFile);
		return { file, modality: resolveModality(source.modality, file) };
	});
	const inputs = files.map(({ modality }) => modality);
	const placeholders = files.map(
		({ file, modality = 'file' }): Attachment =>
			'url' in file ? { modality, ...file } : { modality, ...file, base64: '' },
	);
	const body = request.toBody(placeholders);
	const text = { toBody: (model: string) => withModel(body, model), inputs, place: 'Attachments' };
	request.chosen = await chooseText(context, request.findChoice(), text, request);
}

/** A text request, as its models are judged by it. */
interface JudgedText {
	/** As it is sent to a model, except for its output limit and its files. */
	toBody(model: string): Body;
	/** As for `checkInputs`. */
	inputs: Array<Modality | undefined>;
	/** Where the files are, in the editor. Absent for a chat model. */
	place?: string;
}

/**
 * Chooses the models for a text request. Rejects one of another kind, inputs that it does not take, and a request that could cost more
 * than the caps, or an amount that is not known. The catalog is asked once for each request.
 *
 * @throws ServiceError as `chooseModels`.
 */
export async function chooseText(
	context: CatalogContext,
	choice: ModelChoice,
	{ toBody, inputs, place }: JudgedText,
	limits: TextLimits,
): Promise<Chosen> {
	const { limit: own } = protocols[limits.protocol];
	return await chooseModels(context, choice, {
		check({ model, found }, isOfList) {
			const body = toBody(model);
			if ('entry' in found) {
				const where = place ? '' : 'That is an operation of the Model Router node.';
				checkKind(found.entry, 'text', where);
				checkInputs(found.entry, inputs, place);
				if (isOfList) checkWindow(found.entry, body);
			}
			// an estimate of one model shows what it costs, however much that is
			const allowUnknownCost = limits.allowUnknownCost ?? (isOfList ? false : undefined);
			if (allowUnknownCost !== undefined)
				checkCaps(limits.caps, limitOutput(found, body, limits).bound, allowUnknownCost);
		},
		boundOf({ model, found }) {
			if (!('entry' in found)) return undefined;
			const cost = maximumTextCost(found.entry, unifyOutputLimits(toBody(model), own), own);
			return 'unbounded' in cost ? undefined : cost.microUsd;
		},
	});
}

/** Rejects a prompt that is too long at about four bytes per token, as in most languages. @throws ServiceError `invalid`. */
function checkWindow({ context_length: window }: Model, body: Body): void {
	const tokens = estimatePromptTokens(body);
	if (typeof window !== 'number' || tokens === undefined || tokens <= window) return;
	throw invalidInputError(
		`The prompt has about ${tokens} tokens, more than its context window of ${window}`,
	);
}
