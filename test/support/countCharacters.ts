/*
 * Counts the characters that the code under test looks at, whichever function looks: shipped code needs no counter, and none can be
 * forgotten. Every method of texts, regular expressions, JSON, and what joins or hashes texts is counted while `run` runs.
 *
 * It counts as V8 works. What `+` or a template has joined is joined in fact when a method looks at it for the first time, whichever that
 * is: then all of it counts, also for `startsWith(':')`. What a method returns is joined already, so that only what the method needs counts.
 * Not seen: `text[0]`, and `===` of two texts of the same length.
 */

import { runInNewContext } from 'node:vm';

/**
 * Regular expressions of a realm whose methods nobody has replaced: V8 takes a slow way with those of ours while they are counted, on which
 * each match takes memory.
 */
const Untouched = runInNewContext('RegExp') as RegExpConstructor;

/** A text of fewer characters counts whole each time. */
const MIN_LENGTH = 256;

/** Counts what a call has looked at. */
type Costs = (self: unknown, given: readonly unknown[], result: unknown) => void;

type Method = (this: unknown, ...given: never[]) => unknown;

export async function countCharacters(run: () => unknown): Promise<number> {
	const counter = createCounter();
	try {
		await run();
	} finally {
		counter.restore();
	}
	return counter.count();
}

function createCounter() {
	let count = 0;
	/** Whether a counted method runs: what it calls is a part of it. */
	let isWithin = false;
	/** Texts that are known to be joined. */
	const joined = new Set<string>();
	const { has: hasText, add: addText } = Set.prototype;
	const replaced: Array<() => void> = [];

	const look = (text: string, characters: number) => {
		const isKnown = text.length < MIN_LENGTH || hasText.call(joined, text);
		count += isKnown ? Math.min(text.length, characters) : text.length;
		if (!isKnown) addText.call(joined, text);
	};
	/** @param costs What a call looks at. Texts that it returns are joined. */
	const replace = (
		owner: object,
		name: string | symbol,
		costs: Costs,
		runUncounted?: (self: unknown, given: readonly unknown[]) => unknown,
	) => {
		const found = Object.getOwnPropertyDescriptor(owner, name)!;
		const run =
			runUncounted ??
			((self: unknown, given: readonly unknown[]) =>
				(found.value as Method).apply(self, given as never[]));
		const counted = function (this: unknown, ...given: unknown[]) {
			if (isWithin) return run(this, given);
			isWithin = true;
			try {
				const result = run(this, given);
				costs(this, given, result);
				if (typeof result === 'string' && result.length >= MIN_LENGTH) addText.call(joined, result);
				return result;
			} finally {
				isWithin = false;
			}
		};
		Object.defineProperty(owner, name, { ...found, value: counted });
		replaced.push(() => Object.defineProperty(owner, name, found));
	};

	for (const name of Reflect.ownKeys(String.prototype))
		if (name !== 'constructor' && name !== 'length')
			replace(String.prototype, name, (self, given, result) => {
				if (typeof self !== 'string') return;
				look(self, costOf(String(name), self, given, result));
				for (const each of given) if (typeof each === 'string') look(each, 0);
			});
	const copies = new Map<string, RegExp>();
	const copyOf = (pattern: RegExp) => {
		const key = String(pattern);
		const copy = copies.get(key) ?? new Untouched(pattern.source, pattern.flags);
		copies.set(key, copy);
		copy.lastIndex = pattern.lastIndex;
		return copy;
	};
	const replaceMatching = (name: string | symbol, costs: Costs) => {
		const method = Object.getOwnPropertyDescriptor(Untouched.prototype, name)!.value as Method;
		replace(RegExp.prototype, name, costs, (pattern, given) => {
			const copy = copyOf(pattern as RegExp);
			const result = method.apply(copy, given as never[]);
			(pattern as RegExp).lastIndex = copy.lastIndex;
			return result;
		});
	};
	const lookAtAll = (_self: unknown, [text]: readonly unknown[]) => look(String(text), Infinity);
	for (const name of ['test', Symbol.replace, Symbol.match, Symbol.split, Symbol.search])
		replaceMatching(name, lookAtAll);
	replaceMatching('exec', (_self, [text], result) => {
		const { index = 0, 0: found = text } = (result ?? {}) as { index?: number; 0?: string };
		look(String(text), result ? index + String(found).length : Infinity);
	});
	replace(JSON, 'parse', (_self, [text]) => look(String(text), Infinity));
	replace(JSON, 'stringify', (_self, _given, text) => look(String(text), Infinity));
	replace(Array.prototype, 'join', (_self, _given, text) => look(String(text), Infinity));
	replace(TextDecoder.prototype, 'decode', (_self, _given, text) => look(String(text), Infinity));
	replace(TextEncoder.prototype, 'encode', (_self, [text]) => look(String(text), Infinity));
	for (const [owner, names] of [
		[Map.prototype, ['get', 'has', 'set', 'delete']],
		[Set.prototype, ['has', 'add', 'delete']],
	] as const)
		for (const name of names)
			replace(owner, name, (_self, [key]) => {
				if (typeof key === 'string') look(key, Infinity);
			});

	return {
		count: () => count,
		restore: () => {
			for (const undo of replaced.reverse()) undo();
		},
	};
}

/** How many characters of a joined text a method looks at. */
function costOf(name: string, self: string, given: readonly unknown[], result: unknown) {
	const [searched, from = 0] = given;
	if (['slice', 'substring', 'substr'].includes(name)) return 0;
	if (['at', 'charAt', 'charCodeAt', 'codePointAt'].includes(name)) return 1;
	if (name === 'startsWith' || name === 'endsWith') return String(searched).length;
	if (name === 'indexOf')
		return (Number(result) < 0 ? self.length : Number(result) + 1) - Number(from);
	return self.length;
}
