import { isFields, type Fields } from '../../test/service/call.ts';
import { exampleOf, settled } from '../../test/service/router/example.ts';
import { lastWeekday, NUMBER, numberFrom, sentencesOf } from './words.ts';

/** A value that fits a JSON schema, with what a text says about each field, as far as it can be found. */
export function readFields(schema: unknown, text: string): unknown {
	return valueOf('', schema, text, schema);
}

function valueOf(name: string, schema: unknown, text: string, root: unknown): unknown {
	const part = settled(schema, root);
	if ('const' in part || Array.isArray(part.enum)) return choiceOf(part, text, root);
	switch (Array.isArray(part.type) ? part.type[0] : part.type) {
		case 'object': {
			const fields = isFields(part.properties) ? Object.entries(part.properties) : [];
			return Object.fromEntries(
				fields.map(([each, inner]) => [each, valueOf(each, inner, text, root)]),
			);
		}
		case 'array':
			return listOf(part, text, root);
		case 'integer':
		case 'number':
			return numberOf(part, text);
		case 'boolean':
			return isTrue(name, text);
		case 'string':
			return textOf(name, text) ?? exampleOf(part, sentencesOf(text)[0] ?? text, root);
		default:
			return exampleOf(part, text, root);
	}
}

/** The choice that the text names, or that a comparison of two answers gives. */
function choiceOf(part: Fields, text: string, root: unknown): unknown {
	const choices = Array.isArray(part.enum) ? part.enum : [];
	const judged = comparisonOf(text)?.better;
	if (choices.includes(judged)) return judged;
	const named = choices.find(
		(choice) =>
			typeof choice === 'string' && new RegExp(`\\b${escaped(choice)}\\b`, 'i').test(text),
	);
	return named ?? exampleOf(part, text, root);
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const COUNTED = new RegExp(
	String.raw`\b${NUMBER} (?!of\b|more\b|days?\b|hours?\b)([a-z][a-z-]+)`,
	'gi',
);

/** Things with a number before them, when the items are fields of a thing; else the parts of an enumeration. */
function listOf(part: Fields, text: string, root: unknown) {
	const item = settled(part.items, root);
	if (!isFields(item.properties)) return exampleOf(part, text, root);
	const fields = Object.entries(item.properties);
	const things = [...text.matchAll(COUNTED)].map(([, count = '', thing = '']) => {
		const quantity = numberFrom(count) ?? 1;
		return { quantity, thing: quantity === 1 ? thing : thing.replace(/s$/, '') };
	});
	if (!things.length) return exampleOf(part, text, root);
	return things.map(({ quantity, thing }) =>
		Object.fromEntries(
			fields.map(([name, inner]) => {
				const { type } = settled(inner, root);
				const isNumber = type === 'integer' || type === 'number';
				return [
					name,
					isNumber ? quantity : type === 'string' ? thing : exampleOf(inner, thing, root),
				];
			}),
		),
	);
}

function numberOf({ minimum }: Fields, text: string) {
	const found = new RegExp(String.raw`\b${NUMBER}\b`, 'i').exec(text)?.[1] ?? '';
	return Math.max(typeof minimum === 'number' ? minimum : 0, numberFrom(found) ?? 1);
}

const isTrue = (name: string, text: string) =>
	/urgent|priority|express/i.test(name)
		? /\b(urgent\w*|quick\w*|asap|soon|immediately|hurry|today|at once)\b/i.test(text)
		: new RegExp(`\\b${escaped(name)}\\b`, 'i').test(text);

function textOf(name: string, text: string) {
	if (/reason|why/i.test(name)) return comparisonOf(text)?.reason;
	if (/mail/i.test(name)) return /[\w.+-]+@[\w-]+\.[\w.]+\w/.exec(text)?.[0];
	if (/day|date/i.test(name)) return /\b\d{4}-\d\d-\d\d\b/.exec(text)?.[0] ?? lastWeekday(text);
	if (/city|place|location|town/i.test(name))
		return /\b(?:in|at|for|from|to) ([A-Z][\p{L}]+(?: [A-Z][\p{L}]+)?)/u.exec(text)?.[1];
	if (/customer|person|sender|name|who|from/i.test(name))
		return /\b(?:[Tt]his is|[Mm]y name is|I am|[Rr]egards,?|[Gg]reetings,?)\s+([A-Z]\p{L}+)/u.exec(
			text,
		)?.[1];
	return undefined;
}

/** Of two answers the one that names more that can be done: steps, and figures. */
function comparisonOf(text: string) {
	const [, first, second] = /\bFirst answer:\s*([^]*?)\s*Second answer:\s*([^]*)$/.exec(text) ?? [];
	if (first === undefined || second === undefined) return undefined;
	const [one, other] = [first, second].map((answer) => (answer.match(/\d+/g) ?? []).length) as [
		number,
		number,
	];
	if (one === other)
		return { better: 'neither', reason: 'Both answers say the same amount of what can be done.' };
	const [better, worse] = one > other ? ['first', 'second'] : ['second', 'first'];
	return {
		better,
		reason: `The ${better} answer names ${(one > other ? first : second).match(/\b\d+\. /g)?.length ?? 'more'} steps or figures to act on, the ${worse} stays general.`,
	};
}
