import type { Check } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/params';
import {
	checkAddress,
	modalityOf,
	modalityOfAddress,
	type Modality,
} from '../../../src/router/attachments';
import { checkMessages, toInput, type ChatMessage } from '../../../src/router/messages';
import { invalid } from '../../../src/service/errors';
import type { messageParams } from './messages.params';

type Given = ParamValues<typeof messageParams>;

/** A file that goes with the messages, not yet read. */
export interface Wanted {
	/** What it is called in the editor. */
	path: string;
	modality: Modality | 'auto';
	url?: string;
	binaryProperty?: string;
}

type Said = Pick<Given, 'messageSource' | 'prompt' | 'messages' | 'messagesJson'>;

/** @throws ServiceError `invalid`. */
export function toMessages(given: Said): ChatMessage[] {
	return checkMessages(...saidIn(given));
}

/**
 * The same for the responses protocol.
 *
 * @throws ServiceError `invalid`.
 */
export function toInputItems(given: Said): object[] {
	return toInput(...saidIn(given));
}

function saidIn(given: Said): [messages: readonly unknown[], path: string] {
	if (given.messageSource === 'json') return [given.messagesJson, 'Messages (JSON)'];
	if (given.messageSource === 'prompt') {
		if (!given.prompt.trim()) throw invalid('Prompt is empty');
		return [[{ role: 'user', content: given.prompt }], 'Prompt'];
	}
	return [(given.messages.message ?? []).map(toMessage), 'Messages'];
}

type Row = NonNullable<Given['messages']['message']>[number];

function toMessage({ role = 'user', content = '', tool_call_id: id = '', tool_calls: calls }: Row) {
	if (role === 'tool') return { role, content, tool_call_id: id.trim() };
	if (role !== 'assistant' || !calls?.length) return { role, content };
	return { role, content: content || null, tool_calls: calls };
}

export function toWanted({ attachment = [] }: Given['attachments']): Wanted[] {
	return attachment.map(
		({ source = 'binary', binaryProperty, url = '', modality = 'auto' }, index) => {
			const path = `Attachments ${index + 1}`;
			if (source === 'url') return { path, modality, url: checkAddress(url, `${path}: URL`) };
			return { path, modality, binaryProperty: binaryProperty?.trim() || 'data' };
		},
	);
}

/** What a file is to the model, as far as can be told without reading it. */
export function modalityIn(
	{ path, modality, url, binaryProperty = '' }: Wanted,
	findFile: Check<unknown>['findFile'],
): Modality {
	const type = url === undefined ? modalityOf(findFile(binaryProperty, path).mimeType) : undefined;
	if (modality !== 'auto') return modality;
	return type ?? modalityOfAddress(url ?? '');
}
