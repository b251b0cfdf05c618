import { isPlainObject } from '../core/json';
import type { Model } from './model';

/** What a model can do besides answering a text with a text. Absent where the catalog does not say. */
export interface ModelAbilities {
	/** Whether it calls tools. */
	tools?: boolean;
	/** Whether it can send its answer word by word. */
	streaming?: boolean;
	/** Whether it can be made to answer with JSON. */
	json?: boolean;
	/** Whether it reads images. */
	images?: boolean;
}

/**
 * Reads the abilities of a model. The specification has a field for its inputs only; for the others, the common forms of such
 * catalogs are read: a list of the request fields that it supports, a list or an object of its abilities, or a field for each.
 *
 * A list that names none of the words for tools says that there are none. A list of abilities may be about something else, so there
 * a missing word says nothing.
 */
export function readAbilities(model: Model): ModelAbilities {
	const tools = readAbility(model, ['tools', 'tool_calling', 'function_calling', 'functions']);
	const streaming = readAbility(model, ['streaming', 'stream'], NO_LISTS);
	const json = readAbility(model, [
		...['json', 'json_mode', 'json_schema', 'response_format'],
		...['structured_output', 'structured_outputs'],
	]);
	const { input_modalities: inputs } = model;
	const images = Array.isArray(inputs) ? inputs.includes('image') : undefined;
	return {
		...(tools !== undefined && { tools }),
		...(streaming !== undefined && { streaming }),
		...(json !== undefined && { json }),
		...(images !== undefined && { images }),
	};
}

const FIELD_LISTS = ['supported_parameters', 'supported_fields', 'supported_request_fields'];
/** Which fields a request may have says nothing about streaming: hardly any list names "stream". */
const NO_LISTS: string[] = [];
const ABILITY_FIELDS = ['capabilities', 'abilities', 'features', 'supports'];

function readAbility(
	model: Model,
	words: readonly string[],
	fieldLists = FIELD_LISTS,
): boolean | undefined {
	for (const [field, value] of Object.entries(model)) {
		const flag = words.some((name) => isWord(field, `supports_${name}`))
			? readFlag(value)
			: undefined;
		if (flag !== undefined) return flag;
	}
	for (const field of ABILITY_FIELDS) {
		const abilities = model[field];
		if (
			Array.isArray(abilities) &&
			words.some((name) => abilities.some((ability) => isWord(ability, name)))
		)
			return true;
		if (!isPlainObject(abilities)) continue;
		for (const [name, value] of Object.entries(abilities)) {
			const flag = words.some((known) => isWord(name, known)) ? readFlag(value) : undefined;
			if (flag !== undefined) return flag;
		}
	}
	for (const field of fieldLists) {
		const fields = model[field];
		if (Array.isArray(fields) && fields.length)
			return words.some((name) => fields.some((supported) => isWord(supported, name)));
	}
	return undefined;
}

const readFlag = (value: unknown): boolean | undefined => {
	if (isPlainObject(value)) return readFlag(value['supported']);
	if (value === 'true' || value === 'false') return value === 'true';
	return typeof value === 'boolean' ? value : undefined;
};

/** Case and separators do not matter. */
const isWord = (value: unknown, word: string) =>
	typeof value === 'string' && normalizeWord(value) === normalizeWord(word);

const normalizeWord = (word: string) => word.toLowerCase().replace(/[^a-z]/g, '');
