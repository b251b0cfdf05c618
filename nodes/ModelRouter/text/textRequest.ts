import { invalidInputError } from '../../../src/core/errors';
import type { OperationContext, PreflightContext } from '../../../src/n8n/operation';
import {
	describeInputs,
	modalityNames,
	type Attachment,
	type Modality,
} from '../../../src/router/messages';
import { checkKind, type Model } from '../../../src/router/model';
import { maximumTextCost } from '../../../src/router/pricing';
import { checkMaximumCost } from '../../../src/router/spendingCap';
import { checkAgainstCatalog } from '../catalog';
import { resolveModality, type AttachmentSource } from './messages';
import type { Protocol } from './protocols';

/** A text request, before its files are read. */
export interface TextRequest {
	model: string;
	protocol: Protocol;
	attachments: readonly AttachmentSource[];
	/** Builds the body of the request with its files. */
	toBody(attachments: readonly Attachment[]): { model: string } & Record<string, unknown>;
	/** Undefined where nothing is sent. */
	spending?: TextSpending;
}

interface TextSpending {
	/** USD. */
	spendingCapPerItem: number;
	/** Whether to send also when the cost cannot be calculated beforehand. */
	allowUnknownCost: boolean;
}

/** Rejects a model of another kind, files that the model does not accept, and a request that could cost more than the cap. */
export async function checkTextRequest({
	request,
	findFile,
	lookUp,
}: PreflightContext<TextRequest>): Promise<void> {
	const modalities = request.attachments.map((attachment) => resolveModality(attachment, findFile));
	await checkAgainstCatalog({ lookUp }, request.model, (found) => {
		if ('entry' in found) {
			checkKind(found.entry, 'text');
			checkModalities(found.entry, modalities);
		}
		if (!request.spending) return;
		const placeholders = modalities.map((modality): Attachment => ({ modality, url: '' }));
		const bound =
			'entry' in found
				? maximumTextCost(found.entry, request.toBody(placeholders))
				: { unbounded: found.missing };
		const { spendingCapPerItem, allowUnknownCost } = request.spending;
		checkMaximumCost(bound, {
			cap: spendingCapPerItem,
			name: 'Spending Cap per Item',
			allowUnknownCost,
		});
	});
}

/** Reads the files and builds the body of the request. */
export async function buildBody({ request, readFile }: OperationContext<TextRequest>) {
	const attachments: Attachment[] = [];
	for (const { path, modality, url, binaryProperty = '' } of request.attachments) {
		if (url !== undefined) {
			attachments.push({
				modality: resolveModality({ path, modality, url }, rejectFileLookup),
				url,
			});
			continue;
		}
		const file = await readFile(binaryProperty, path);
		const found = resolveModality({ path, modality, binaryProperty }, () => file);
		attachments.push({ modality: found, ...file });
	}
	return request.toBody(attachments);
}

const rejectFileLookup = (): never => {
	throw new Error('an address needs no file');
};

function checkModalities(
	{ id, input_modalities: accepted }: Model,
	wanted: readonly Modality[],
): void {
	if (!Array.isArray(accepted)) return;
	const [index, modality] =
		[...wanted.entries()].find(([, candidate]) => !accepted.includes(candidate)) ?? [];
	if (index === undefined || !modality) return;
	throw invalidInputError(
		`Attachments ${index + 1}: the model ${id} does not take ${modalityNames[modality]}`,
		`It takes: ${describeInputs(accepted)}. Use another model, or leave the attachment out.`,
	);
}
