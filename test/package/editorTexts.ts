import { allCredentials, allNodes } from '../../scripts/docs/nodePages';

/** Fields of descriptions whose text a user reads. */
const READ = new Set([
	'displayName',
	'description',
	'placeholder',
	'hint',
	'action',
	'name',
	'searchHint',
	'relationHint',
	'noDataText',
]);

/** All texts of nodes and credentials that the editor shows. */
export function readEditorTexts(): string[] {
	return [...new Set([...allNodes, ...allCredentials].flatMap((one) => textsIn(one)))];
}

function textsIn(value: unknown, name = ''): string[] {
	if (typeof value === 'string') return READ.has(name) && / /.test(value) ? [value] : [];
	if (Array.isArray(value)) return value.flatMap((one) => textsIn(one));
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, one]) => textsIn(one, key));
}
