import type { Call, Check } from '../../../src/n8n/operation';
import type { Attachment } from '../../../src/router/attachments';
import { checkKind } from '../../../src/router/kinds';
import type { Model } from '../../../src/router/models';
import { holdBound } from '../../../src/router/prices';
import { invalid } from '../../../src/service/errors';
import { knownCatalog } from '../catalog';
import { modalityIn, type Wanted } from './messages';

/** A text request of either protocol, ready but for the bytes of its files. */
export interface TextRequest {
	model: string;
	attachments: readonly Wanted[];
	/** The body of the request, given its messages with the files among them. */
	toBody(attachments: readonly Attachment[]): { model: string } & Record<string, unknown>;
	/** USD; undefined for none. */
	spendingCap?: number | undefined;
}

/** Refuses a model of another kind, files that the model does not take, and what could cost more than the cap. */
export async function checkText({ request, findFile, known }: Check<TextRequest>): Promise<void> {
	const modalities = request.attachments.map((wanted) => modalityIn(wanted, findFile));
	const catalog = await knownCatalog({ known });
	const model = 'value' in catalog ? catalog.value.find(request.model) : undefined;
	if (model) {
		checkKind(model, 'text');
		checkModalities(model, modalities);
	}
	if (request.spendingCap === undefined) return;
	const advice = 'Nothing was sent. Remove "Spending Cap per Item" to send it all the same.';
	const refuse = (why: string) => invalid(`The spending cap cannot be kept: ${why}`, advice);
	if ('missing' in catalog) throw refuse(`the catalog could not be read (${catalog.missing})`);
	if (!model) throw refuse(`the catalog does not have the model ${request.model}`);
	const placeholders = modalities.map((modality): Attachment => ({ modality, url: '' }));
	const bound = holdBound(model.pricing, request.toBody(placeholders));
	if ('unbounded' in bound) throw refuse(lowerFirst(bound.unbounded));
	if (bound.cost.microUsd <= Math.round(request.spendingCap * 1e6)) return;
	throw invalid(
		`This could cost up to ${usd(bound.cost.usd)}, more than the spending cap of ${usd(request.spendingCap)}`,
		`Nothing was sent. At most ${bound.promptTokens} tokens go in and ${bound.outputTokens} come out: lower "Maximum Output Tokens", shorten the messages, or raise the cap.`,
	);
}

/** Reads the files and makes the body of the request. */
export async function toSend({ request, readFile }: Call<TextRequest>) {
	const attachments: Attachment[] = [];
	for (const { path, modality, url, binaryProperty = '' } of request.attachments) {
		if (url !== undefined) {
			attachments.push({ modality: modalityIn({ path, modality, url }, neverAsked), url });
			continue;
		}
		const file = await readFile(binaryProperty, path);
		const found = modalityIn({ path, modality, binaryProperty }, () => file);
		attachments.push({ modality: found, ...file });
	}
	return request.toBody(attachments);
}

const neverAsked = (): never => {
	throw new Error('an address needs no file');
};

function checkModalities({ id, input_modalities: takes }: Model, wanted: readonly string[]): void {
	if (!Array.isArray(takes)) return;
	const [index, modality] = [...wanted.entries()].find(([, each]) => !takes.includes(each)) ?? [];
	if (index === undefined || !modality) return;
	const what = takes.length ? takes.join(', ') : 'nothing that the catalog names';
	throw invalid(
		`Attachments ${index + 1}: the model ${id} does not take ${NAMES[modality] ?? modality}`,
		`It takes: ${what}. Use another model, or leave the attachment out.`,
	);
}

const NAMES: Record<string, string> = {
	image: 'images',
	audio: 'audio',
	video: 'videos',
	file: 'files',
};

const usd = (amount: number) => `$${amount.toFixed(6).replace(/0{1,4}$/, '')}`;
const lowerFirst = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1);
