import { invalidInputError } from './errors';
import { isPlainObject } from './json';

/** Models among which one is chosen for each request, as a team keeps them in one place. */
export interface ModelList {
	name: string;
	/** IDs, in any spelling. */
	models: string[];
	/** Stored in credentials. Of the cheapest first, the bound of each request decides. */
	order: 'asListed' | 'cheapestFirst';
}

/** What the field of a model chooses: one model, or the first of a list that can. */
export interface ModelChoice {
	models: string[];
	/** Undefined for a model that was chosen itself. */
	list?: ModelList;
}

/** The beginning of a field that holds the name of a list. Stored in workflows. */
const LIST_PREFIX = 'modelList:';

export const toListValue = (name: string): string => `${LIST_PREFIX}${name}`;

/**
 * @param read Reads those of the credential, or the one of this name: a fault in another list stops nobody.
 * @throws ServiceError `invalid` for a list that the credential does not have.
 */
export function findModelChoice(field: string, read: (name?: string) => ModelList[]): ModelChoice {
	const text = field.trim();
	if (!text.startsWith(LIST_PREFIX)) return { models: [text] };
	const wanted = text.slice(LIST_PREFIX.length).trim();
	const [list] = read(wanted);
	if (list) return { models: list.models, list };
	const names = Array.from(read(), ({ name }) => `"${name}"`).join(', ');
	throw invalidInputError(
		wanted ? `There is no model list "${wanted}"` : 'Model is empty: no model list is named',
		`Nothing was sent. ${names ? `The credential has ${names}.` : 'The credential has no model lists: add one in Model Lists of the Model Router API credential.'}`,
	);
}

/**
 * Reads the model lists of a credential.
 *
 * @param field As n8n keeps it: rows with `name`, `models` (one ID a line) and `order`.
 * @param wanted The name of the only list that counts; empty for none. Without it, all do.
 * @throws ServiceError `invalid` for a list without a name or models, and for two of one name.
 */
export function readModelLists(field: unknown, wanted?: string): ModelList[] {
	const rows = isPlainObject(field) ? [field['list'] ?? []].flat().filter(isPlainObject) : [];
	const lists = rows.flatMap((row, index): ModelList | [] => {
		const name = String(row['name'] ?? '').trim();
		if (wanted !== undefined && !(name && isSameName(name, wanted))) return [];
		const place = `Model Lists ${index + 1}`;
		const inCredential = 'Correct it in the Model Router API credential.';
		if (!name) throw invalidInputError(`${place}: Name is empty`, inCredential);
		const lines = String(row['models'] ?? '').split(/[\r\n,]/);
		const models = lines.map((line) => line.trim()).filter(Boolean);
		if (!models.length) throw invalidInputError(`${place}: "${name}" has no models`, inCredential);
		const order = row['order'] === 'cheapestFirst' ? 'cheapestFirst' : 'asListed';
		return { name, models: firstSpellings(models), order };
	});
	const names = lists.map(({ name }) => name);
	const twice = names.find((name, at) => names.slice(0, at).some((one) => isSameName(one, name)));
	if (twice === undefined) return lists;
	throw invalidInputError(
		`Model Lists: two lists have the name "${twice}"`,
		'Rename one of them in the Model Router API credential.',
	);
}

function firstSpellings(names: string[]): string[] {
	const seen = new Set<string>();
	return names.filter((name) => seen.size < seen.add(nameKey(name)).size);
}

/** A name of emoji or punctuation alone is told by them. */
const nameKey = (name: string): string => normalizeModelId(name) || name.normalize('NFC');
const isSameName = (one: string, other: string) => nameKey(one) === nameKey(other);

/** The same text for all spellings of the ID of a model. The slash between vendor and model is significant. */
export const normalizeModelId = (id: string) => id.toLowerCase().replace(/[^\p{L}\p{N}/]/gu, '');
