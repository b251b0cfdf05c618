/** What the scripted model knows, the most important sentence first. */
const KNOWN: Array<[asked: RegExp, answer: string]> = [
	[
		/\bmodel router\b/i,
		'A model router is one address in front of the models of many vendors: you name a model, it passes your request on, and you pay for the tokens that were used. ' +
			'You need one key and one balance for all of them. Pictures, films, music and speech are made by jobs that you start and collect later.',
	],
	[
		/\bspending cap\b/i,
		'A spending cap is the most that one item or one execution may cost: what is certain to cost more is not started. The service estimates each job before it begins.',
	],
	[
		/\bjob ledger\b|\bidempoten/i,
		'The job ledger is a Data Table of n8n in which each paid job is entered before it is started. So a job is not started twice, whatever happens in between.',
	],
	[
		/\bn8n\b/i,
		'n8n is a tool that connects services to workflows, node by node. This answer has come through one of its nodes.',
	],
	[
		/\blighthouse\b/i,
		'A lighthouse is a tower with a strong lamp that shows ships where the coast is. Its stripes make it known by day, and the rhythm of its light by night.',
	],
];

/** Answers a question that it knows, or one of arithmetic; undefined for all others. */
export function knownAnswer(question: string): string | undefined {
	const [, one, sign, other] =
		/(-?\d+(?:\.\d+)?)\s*([-+*×x/÷])\s*(-?\d+(?:\.\d+)?)/.exec(question) ?? [];
	if (one !== undefined && sign !== undefined) {
		return `${one} ${sign} ${other} is ${Number(calculated(Number(one), sign, Number(other)).toPrecision(12))}.`;
	}
	if (!/\?|^\s*(what|who|how|why|explain|describe|tell)\b/i.test(question)) return undefined;
	return KNOWN.find(([asked]) => asked.test(question))?.[1];
}

function calculated(one: number, sign: string, other: number): number {
	switch (sign) {
		case '+':
			return one + other;
		case '-':
			return one - other;
		case '/':
		case '÷':
			return one / other;
		default:
			return one * other;
	}
}
