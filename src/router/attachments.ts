import { invalid } from '../service/errors';
import type { ChatMessage } from './messages';

/** What a model may take beside text, in the catalog's words (`input_modalities`). */
export const modalities = ['image', 'audio', 'video', 'file'] as const;
export type Modality = (typeof modalities)[number];

/** A file for the model: its bytes, or an address that the service can read. */
export type Attachment = { modality: Modality } & (
	| { url: string }
	| { base64: string; mimeType: string; fileName: string }
);

/** What a file is to a model, by its media type. */
export function modalityOf(mimeType: string): Modality {
	const [family = ''] = mimeType.toLowerCase().split('/');
	return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}

const ENDINGS: Array<[RegExp, Modality]> = [
	[/\.(mp3|wav|m4a|ogg|oga|opus|flac|aac)$/i, 'audio'],
	[/\.(mp4|mov|webm|mkv|avi|mpe?g)$/i, 'video'],
	[/\.(pdf|txt|csv|md|docx?|xlsx?|pptx?|json|xml|html?|zip)$/i, 'file'],
];

/** What an address leads to, by its ending; an image where that tells nothing. */
export function modalityOfAddress(address: string): Modality {
	if (isInline(address)) return modalityOf(address.slice('data:'.length, 100));
	const [path = ''] = address.split(/[?#]/);
	return ENDINGS.find(([ending]) => ending.test(path))?.[1] ?? 'image';
}

/** @throws ServiceError `invalid` for an address that a service could not read. */
export function checkAddress(address: string, path: string): string {
	const trimmed = address.trim();
	if (!/^(https?:\/\/[^\s/]|data:[^\s,]*,)/i.test(trimmed))
		throw invalid(`${path} must begin with https:// or data:`, 'The service reads it from there.');
	return trimmed;
}

type PartOf = (attachment: Attachment) => object;

/**
 * A part of a chat message. The specification names `image_url`; the others are the protocol's own and their usual relatives
 * for what it does not have.
 *
 * @see POST /v1/chat/completions, field `messages`
 */
export const chatPart: PartOf = (attachment) => {
	const url = addressOf(attachment);
	const { modality } = attachment;
	if (modality === 'image') return { type: 'image_url', image_url: { url } };
	if (modality === 'video') return { type: 'video_url', video_url: { url } };
	if (modality === 'audio') {
		return 'base64' in attachment
			? { type: 'input_audio', input_audio: audioOf(attachment) }
			: { type: 'audio_url', audio_url: { url } };
	}
	return { type: 'file', file: { filename: nameOf(attachment), file_data: url } };
};

/** The same for the responses protocol. */
export const inputPart: PartOf = (attachment) => {
	const url = addressOf(attachment);
	const { modality } = attachment;
	if (modality === 'image') return { type: 'input_image', image_url: url };
	if (modality === 'video') return { type: 'input_video', video_url: url };
	if (modality === 'audio') {
		return 'base64' in attachment
			? { type: 'input_audio', input_audio: audioOf(attachment) }
			: { type: 'input_audio', audio_url: url };
	}
	return isInline(url)
		? { type: 'input_file', filename: nameOf(attachment), file_data: url }
		: { type: 'input_file', file_url: url };
};

/**
 * Puts files behind the text of the last message of the user, or into one of their own where there is none.
 *
 * @param partOf How the protocol writes a file.
 * @param textType How it calls a part of text: `text` or `input_text`.
 */
export function attach(
	messages: readonly ChatMessage[],
	attachments: readonly Attachment[],
	partOf: PartOf,
	textType: string,
): ChatMessage[] {
	if (!attachments.length) return [...messages];
	const parts = attachments.map(partOf);
	const last = messages.findLastIndex(({ role }) => role === 'user');
	if (last === -1) return [...messages, { role: 'user', content: parts }];
	return messages.map((message, index) => {
		if (index !== last) return message;
		const { content } = message;
		const text = content ? [{ type: textType, text: content }] : [];
		const said = Array.isArray(content) ? content : text;
		return { ...message, content: [...said, ...parts] };
	});
}

const addressOf = (attachment: Attachment) =>
	'url' in attachment ? attachment.url : `data:${attachment.mimeType};base64,${attachment.base64}`;

/** Whether an address holds the file itself. */
const isInline = (address: string) => /^data:/i.test(address);

function nameOf(attachment: Attachment): string {
	if ('base64' in attachment) return attachment.fileName;
	if (isInline(attachment.url)) return 'file';
	return (attachment.url.split(/[?#]/)[0]?.split('/').at(-1) ?? '') || 'file';
}

/** The protocol names the formats `mp3` and `wav`; others are called by their media type. */
function audioOf({ base64, mimeType }: { base64: string; mimeType: string }) {
	const subtype = mimeType.toLowerCase().replace(/^[^/]*\/(x-)?|\s*;.*$/g, '');
	const format = { mpeg: 'mp3', mp3: 'mp3', wave: 'wav', 'vnd.wave': 'wav' }[subtype] ?? subtype;
	return { data: base64, format };
}
