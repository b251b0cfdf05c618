import { readFileSync } from 'node:fs';

/**
 * What people type, and which of our nodes answers it. Written before any word was added by which n8n finds the nodes: a phrase is
 * added when somebody uses it, and never because a node would be found by it.
 *
 * Taken from threads (microsoft/autogen, langgenius/dify, FlowiseAI/Flowise, n8n-io/n8n, BerriAI/litellm, activepieces), from titles of
 * n8n's templates, and from what comparable packages call themselves.
 */
export interface Phrases {
	/** As the list of nodes names it, or without the package: what any of them answers is found. */
	nodes: readonly string[];
	phrases: readonly string[];
}

const [typed = '', asked = ''] = readFileSync('test/support/phrases.txt', 'utf8').split('\n\n');
const phrasesIn = (part: string): Phrases[] =>
	part
		.trim()
		.split('\n')
		.map((line) => {
			const [nodes = '', phrases = ''] = line.split(': ');
			return { nodes: nodes.split(' or '), phrases: phrases.split(', ') };
		});

/** Typed into the search of n8n's editor: a word or two. */
export const TYPED = phrasesIn(typed);

/** What models ask `search_nodes` of n8n's MCP server: a few words each. */
export const ASKED = phrasesIn(asked);

/** How many phrases there are. */
export const count = (lists: readonly Phrases[]): number =>
	lists.flatMap(({ phrases }) => phrases).length;

/** The phrases whose node is not among the first three of what is found. */
export async function missed(
	lists: readonly Phrases[],
	find: (phrase: string) => Promise<string[]> | string[],
): Promise<string[]> {
	const unfound: string[] = [];
	for (const { nodes, phrases } of lists)
		for (const phrase of phrases) {
			const found = (await find(phrase)).slice(0, 3);
			if (!found.some((one) => nodes.includes(one)))
				unfound.push(`${phrase}: ${found.join(', ') || 'nothing'}`);
		}
	return unfound;
}
