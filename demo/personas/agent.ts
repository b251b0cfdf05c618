import { directivesOf } from '../../test/service/directives.ts';
import { readRules, type Facts } from './rules.ts';

const answerFrom = readRules('demo/personas/conversation.json');

/** What the rules know of a conversation. */
export function factsOf(who: 'agent' | 'model', said: readonly string[], workspace = ''): Facts {
	const [first = ''] = said;
	const last = said.at(-1) ?? '';
	return {
		who: `${who} ${said.length}: ${workspace}`,
		opening: `${workspace}: ${first}`,
		first,
		last,
		later: said.slice(1).join('\n'),
		all: said.join('\n'),
		again: said.slice(0, -1).includes(last) ? 'As I wrote before:' : '',
		sum: calculated(last),
	};
}

function calculated(question: string) {
	const [, one, sign = '', other] =
		/(-?\d+(?:\.\d+)?)\s*([-+*×x/÷])\s*(-?\d+(?:\.\d+)?)/.exec(question) ?? [];
	const [left, right] = [Number(one), Number(other)];
	const result = { '+': left + right, '-': left - right, '/': left / right, '÷': left / right }[
		sign
	];
	return one
		? `${one} ${sign} ${other} is ${Number((result ?? left * right).toPrecision(12))}`
		: '';
}

/**
 * What an agent or a model of the demo answers.
 *
 * @returns undefined for a message with a directive, which is answered as it says
 */
export const scriptedAnswer = (facts: Facts): string | undefined =>
	directivesOf(facts.last ?? '').size ? undefined : answerFrom(facts);
