import type { Schema, SchemaDraft } from '@cfworker/json-schema';

import { isObject } from './json';
import type { Fault, Path } from './schemaFault';
import { checkLevel, subschemasOf, unusable } from './schemaRules';

type Json = Record<string, unknown>;

interface Visited {
	path: Path;
	/** The address that its references are relative to. */
	base: string;
	/** Schemas that judge the same value, references included. */
	sameValue: unknown[];
}

/** The address of a schema that has none. */
const NOWHERE = 'schema:/';

/**
 * Checks a schema with everything that can be reached from it, and prepares it for the library: each `$ref` gets a key.
 *
 * The library has a way of its own to do that, which takes for a schema whatever an unknown keyword holds.
 *
 * @param root Is changed.
 * @param faultIn Checks one level of a schema.
 * @returns the schemas by the keys that lead to them.
 * @throws ServiceError `invalid`.
 */
export function linkSchema(
	root: Json,
	draft: SchemaDraft,
	faultIn: (schema: Json) => Fault | undefined,
): Record<string, Schema | boolean> {
	const visited = new Map<Json, Visited>();
	const byAddress = new Map<string, unknown>([[NOWHERE, root]]);

	function visit(schema: unknown, path: Path, outerBase: string): void {
		if (!isObject(schema) || visited.has(schema)) return;
		checkLevel(schema, path, faultIn);
		const base = register(schema, path, outerBase);
		const held = subschemasOf(schema);
		const sameValue = held.filter((one) => one.sameValue).map((one) => one.schema);
		visited.set(schema, { path, base, sameValue });
		for (const one of held) visit(one.schema, [...path, ...one.path], base);
	}

	/** Notes the addresses that a schema gives itself. @returns the base of what it holds. */
	function register(schema: Json, path: Path, outerBase: string): string {
		// an older draft reads nothing beside a reference
		if (schema['$ref'] !== undefined && (draft === '4' || draft === '7')) return outerBase;
		const keyword = draft === '4' ? 'id' : '$id';
		const own = schema[keyword]
			? addressOf(schema[keyword], outerBase, [...path, keyword])
			: undefined;
		const base = own ? withoutFragment(own) : outerBase;
		const anchors = [schema['$anchor'], schema['$dynamicAnchor']].filter(Boolean);
		// older drafts name an anchor by an address with a fragment
		if (own) byAddress.set(own.hash ? own.href : base, schema);
		for (const anchor of anchors) byAddress.set(`${base}#${String(anchor)}`, schema);
		return base;
	}

	function resolve(reference: unknown, { path, base }: Visited): Schema | boolean {
		const url = addressOf(reference, base, [...path, '$ref']);
		const whole = byAddress.get(withoutFragment(url));
		const target = /^#?\/|^$/.test(url.hash) ? heldAt(whole, url.hash) : byAddress.get(url.href);
		if (typeof target === 'boolean' || isObject(target)) return target;
		throw unusable(
			[...path, '$ref'],
			`${JSON.stringify(reference)} leads to no part of this schema; others are not fetched`,
		);
	}

	visit(root, [], NOWHERE);
	const lookup: Record<string, Schema | boolean> = {};
	// those that only a reference leads to are added while this runs
	for (const [schema, place] of visited) {
		for (const [keyword, mark] of [
			['$ref', '__absolute_ref__'],
			['$recursiveRef', '__absolute_recursive_ref__'],
		] as const) {
			if (schema[keyword] === undefined) continue;
			const target = resolve(schema[keyword], place);
			const key = `${place.base} ${String(schema[keyword])}`;
			lookup[key] = target;
			schema[mark] = key;
			place.sameValue.push(target);
			visit(target, [...place.path, keyword], place.base);
		}
	}
	refuseCircles(visited);
	return lookup;
}

/** A schema that judges a value by itself, before it comes to a part of that value, would never end. */
function refuseCircles(visited: Map<Json, Visited>): void {
	const [open, done] = [new Set<unknown>(), new Set<unknown>()];
	function follow(schema: unknown): void {
		const place = visited.get(schema as Json);
		if (!place || done.has(schema)) return;
		if (open.has(schema)) throw unusable(place.path, 'It refers to itself without end');
		open.add(schema);
		place.sameValue.forEach(follow);
		done.add(schema);
	}
	for (const schema of visited.keys()) follow(schema);
}

function addressOf(text: unknown, base: string, path: Path): URL {
	const address = String(text);
	if (URL.canParse(address, base)) return new URL(address, base);
	throw unusable(path, `${JSON.stringify(address)} is no address`);
}

const withoutFragment = ({ href }: URL) => href.replace(/#.*$/, '');

/** Follows a JSON pointer; nothing on its way has a prototype. */
function heldAt(whole: unknown, pointer: string): unknown {
	return pointer
		.split('/')
		.slice(1)
		.map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<unknown>((held, step) => {
			if (Array.isArray(held)) return held[Number(step)] as unknown;
			return isObject(held) ? held[step] : undefined;
		}, whole);
}

function decoded(step: string): string {
	try {
		return decodeURIComponent(step);
	} catch {
		return step;
	}
}
