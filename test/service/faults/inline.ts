import type { Fault } from './fault.ts';
import { listOf } from './rules.ts';

export interface Inline {
	/** The request's URL without its fault prefixes. */
	url: string;
	faults: Fault[];
}

/**
 * Faults that a request brings along: `/fault/<URL-encoded JSON>/…` before its path, which a
 * base URL in a credential can carry, and the header `x-fault`.
 */
export function inlineFaults(url: string, header: string | undefined): Inline {
	const faults: Fault[] = header ? parse(header) : [];
	let rest = url;
	for (;;) {
		const found = /^\/fault\/([^/?]+)(\/.*)$/.exec(rest);
		if (!found) return { url: rest, faults };
		faults.push(...parse(decodeURIComponent(found[1] ?? '')));
		rest = found[2] ?? '';
	}
}

const parse = (text: string): Fault[] => listOf(JSON.parse(text) as Fault | Fault[]);
