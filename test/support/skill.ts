import { readFileSync } from 'node:fs';

/** An example of the skill for language models: code of n8n's workflow SDK. */
export interface Example {
	title: string;
	code: string;
}

export function skillExamples(): Example[] {
	const [, beginning = '', rest = ''] =
		/```js\n([^]*?\n)```\n([^]*)/.exec(readFileSync('skills/agent-bridge/SKILL.md', 'utf8')) ?? [];
	return [...rest.matchAll(/^### (.+)\n(?:(?!^### )[^])*?```js\n([^]*?)\n```/gm)].map(
		([, title = '', code = '']) => ({ title, code: `${beginning}\n${code}` }),
	);
}

/** The credentials of the examples. */
type Accounts = Record<'agent' | 'secondAgent' | 'assistant' | 'router', { id: string }>;

const MODELS: Record<string, string> = {
	TEXT_MODEL: 'northwind/quill-2.5',
	IMAGE_MODEL: 'canvas/sketch-1',
	VIDEO_MODEL: 'reel/clip-3',
};

/** The code with what a model looks up before: models, and IDs of credentials. */
export const fillIn = (code: string, { agent, secondAgent, assistant, router }: Accounts): string =>
	code
		.replace(/\b[A-Z]+_MODEL\b/g, (name) => MODELS[name] ?? name)
		.replace('ID_OF_AGENT', agent.id)
		.replace('ID_OF_ANOTHER_AGENT', secondAgent.id)
		.replace(/'Crypto Q&A account'/g, `$&, '${assistant.id}'`)
		.replace(/'Model Router account'/g, `$&, '${router.id}'`);

/** What the node of an example gives, by its title; those that wait for an event are not run. */
export const EXPECTED: Record<string, { node: string; json: object }> = {
	'Message an agent': {
		node: 'Ask Agent',
		json: { output: expect.any(String), sessionKey: 'order 4711' },
	},
	'Let two agents talk': { node: 'Use the Day', json: { ended: 'stopPhrase' } },
	'Read fields out of a text': {
		node: 'Row',
		json: { product: expect.any(String), count: expect.any(Number) },
	},
	'Make a picture': { node: 'Make Picture', json: { state: 'completed', costUsd: 0.04 } },
	'Start a video': { node: 'Start Video', json: { uniqueKey: 'order 4711', startedBefore: false } },
	'An AI agent with a model and a tool': { node: 'AI Agent', json: { output: expect.any(String) } },
	'Report what was spent': { node: 'Get Spending', json: { costUsd: expect.any(Number) } },
};
