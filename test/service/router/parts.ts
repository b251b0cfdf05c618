import { isFields } from '../call.ts';

/** What a part beside texts is, in the words of `input_modalities` (section 2C). */
export type Modality = 'image' | 'audio' | 'video' | 'file';

/** How many parts of each modality there are. */
export type Shown = Partial<Record<Modality, number>>;

/** Section 4C gives `image_url` as an example; the others are those of the public protocols. */
const MODALITIES = new Map<unknown, Modality>([
	['image_url', 'image'],
	['input_image', 'image'],
	['input_audio', 'audio'],
	['audio_url', 'audio'],
	['video_url', 'video'],
	['file', 'file'],
	['input_file', 'file'],
]);

const LABELS: Array<[Modality, string]> = [
	['image', 'image(s)'],
	['audio', 'audio'],
	['video', 'video'],
	['file', 'file(s)'],
];

/** Reads the content of one message. */
export function partsIn(content: unknown): { text: string; shown: Shown; isMarked?: boolean } {
	if (typeof content === 'string') return { text: content, shown: {} };
	const parts = Array.isArray(content) ? content.filter(isFields) : [];
	const shown: Shown = {};
	for (const { type } of parts) {
		const modality = MODALITIES.get(type);
		if (modality) shown[modality] = (shown[modality] ?? 0) + 1;
	}
	const text = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : []));
	const isMarked = parts.some(
		({ cache_control: mark }) => isFields(mark) && mark.type === 'ephemeral',
	);
	return { text: text.join('\n'), shown, isMarked };
}

/** The first modality that a model does not list; one that lists none takes everything. */
export const unfit = (shown: Shown, listed: string[] | undefined): Modality | undefined =>
	LABELS.map(([modality]) => modality).find(
		(modality) => shown[modality] && listed && !listed.includes(modality),
	);

/** For the end of an answer: what came beside the text, if anything did. */
export function shownText(shown: Shown): string {
	const list = LABELS.flatMap(([modality, label]) =>
		shown[modality] ? [`${shown[modality]} ${label}`] : [],
	);
	return list.length ? ` I was shown ${list.join(', ')}.` : '';
}
