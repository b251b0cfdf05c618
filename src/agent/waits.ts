import { shortenText } from '../core/errors';
import { isEmptyValue, isPresent } from '../core/json';
import type { Call, Meaning, Paths } from './dialect';
import { entriesOf, questionAt, textAt, valueAt } from './paths';

/** A call of a tool for which the agent waits, or a question. */
export interface Wait {
	for: 'approval' | 'answer' | 'input' | 'result';
	/** Empty where the agent asks, but about no tool. */
	tool: string;
	/** The arguments, as the model wrote them. */
	input: unknown;
	/** Why it asks, or what. */
	reason: unknown;
	/** Whether the answer's text says so already. */
	isAsked: boolean;
}

/** A call that may wait for nobody, since its result comes from elsewhere. */
type OpenCall = Omit<Wait, 'for'> & { for: Wait['for'] | 'nothing' };

/** Keeps the calls of tools until they have their results. */
export function createWaits() {
	/** By ID, in the order in which they were called. */
	const open = new Map<string, OpenCall>();

	const note = (call: Call, value: unknown, id: string, question: string): void => {
		const about = call.about === undefined ? id : textAt(value, call.about);
		open.set(id, withMore(open.get(id) ?? open.get(about) ?? UNKNOWN, call, value, question));
		const oldest = open.keys().next();
		if (open.size > MAX_OPEN && !oldest.done) open.delete(oldest.value);
	};

	const settle = (settles: Meaning['settles'] = [], value: unknown): void => {
		const paths = [settles].flat();
		if (!paths.length) return;
		// what goes on beside a question does not answer it
		for (const [id, one] of open)
			if (paths.includes(isAsking(one.for) ? '?' : '*')) open.delete(id);
		if (paths.includes('*') || paths.includes('?')) return;
		for (const id of [valueIn(value, paths)].flat()) if (isPresent(id)) open.delete(asText(id));
	};

	const list = (hasEnded: boolean): Wait[] =>
		[...open.values()].filter(
			(call): call is Wait => isAsking(call.for) || (hasEnded && call.for === 'result'),
		);

	return {
		/**
		 * An event tells of calls, or of their results.
		 *
		 * @returns whether the agent asks for something.
		 */
		add({ call: given, settles, asks }: Meaning, value: unknown): boolean {
			settle(settles, value);
			const call = given ?? (asks === undefined ? undefined : QUESTION);
			if (call === undefined) return false;
			const entries = entriesOf(value, call);
			for (const entry of entries)
				for (const id of idsOf(call, entry, open))
					note(call, entry, id, questionAt(entry, asks ?? []));
			return isAsking(call.waitsFor) && entries.length > 0;
		},
		/**
		 * @param hasEnded Whether the answer has ended: before, a call may still get its result.
		 * @returns what the agent waits for.
		 */
		list,
		/** @returns the same in words, once for each. */
		ask(hasEnded: boolean): string[] {
			const asked = list(hasEnded).filter(({ isAsked }) => !isAsked);
			for (const wait of asked) wait.isAsked = true;
			return asked.map(wordsOf);
		},
	};
}

/** What is known of a call, and what an event tells of it. */
function withMore(known: OpenCall, call: Call, value: unknown, question: string): OpenCall {
	const piece = textAt(value, call.adds ?? []);
	const input = piece ? `${asText(known.input ?? '')}${piece}` : known.input;
	return {
		for: call.waitsFor ?? known.for,
		tool: textAt(value, call.tool ?? []) || known.tool,
		input: valueIn(value, call.input) ?? input,
		reason: valueIn(value, call.reason) ?? (question || known.reason),
		isAsked: Boolean(question) || call.waitsFor === 'input',
	};
}

const isAsking = (what?: OpenCall['for']): boolean =>
	what === 'approval' || what === 'answer' || what === 'input';

/** What is not surely a question is an approval. */
const QUESTION: Call = { waitsFor: 'approval', id: [] };

const UNKNOWN: OpenCall = {
	for: 'result',
	tool: '',
	input: undefined,
	reason: undefined,
	isAsked: false,
};

/** What an agent waits for, in words. What the model wrote is cut. */
function wordsOf({ for: what, tool, input, reason }: Wait): string {
	const { about, alone } = WORDS[what];
	const given = isEmptyValue(input) ? '' : ` with ${shortenText(asText(input), MAX_LENGTH)}`;
	const words = tool ? `${about} "${shortenText(tool, MAX_NAME_LENGTH)}"${given}` : alone;
	const why = isEmptyValue(reason) ? '' : ` ${shortenText(asText(reason), MAX_LENGTH)}`;
	return `The agent waits for ${words}.${why}`;
}

const WORDS: Readonly<Record<Wait['for'], { about: string; alone: string }>> = {
	approval: { about: 'approval to call the tool', alone: 'approval' },
	answer: { about: 'an answer, to go on with the tool', alone: 'an answer' },
	input: { about: 'an answer, to go on with the tool', alone: 'an answer' },
	result: { about: 'the result of the tool', alone: 'the result of a tool' },
};

/** Far more calls than any agent has open at once. An event about all of them would otherwise take longer with each: the oldest go. */
export const MAX_OPEN = 100;

/** Characters. */
const MAX_LENGTH = 500;
const MAX_NAME_LENGTH = 100;

/** The IDs that an event is about; without an ID, it is about all calls that are open. */
function idsOf({ id }: Call, value: unknown, open: ReadonlyMap<string, OpenCall>): string[] {
	const found = valueIn(value, id);
	if (found !== undefined) return [asText(found)];
	return id === undefined && open.size > 0 ? [...open.keys()] : [''];
}

const valueIn = (value: unknown, paths: Paths = []): unknown =>
	[paths]
		.flat()
		.map((path) => valueAt(value, path))
		.find(isPresent);

const asText = (value: unknown): string =>
	typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
