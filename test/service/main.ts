import { parseArgs } from 'node:util';

import { startService, type Service } from './service.ts';

const { values } = parseArgs({
	options: {
		port: { type: 'string', default: '0' },
		/** Answers and files as in the demo. */
		personas: { type: 'boolean', default: false },
	},
});

// no top-level await: this file must load as CommonJS too
void run();

async function run() {
	const service = await startService({ port: Number(values.port), personas: values.personas });
	process.stdout.write(readable(service));

	const end = () => void service.stop().then(() => process.exit(0));
	process.once('SIGTERM', end);
	process.once('SIGINT', end);
}

/** What the keys are for that a first try does not need. */
const MEANINGS: Readonly<Record<string, string>> = {
	pro: 'a plan with more requests a minute',
	enterprise: 'a plan with more requests a minute',
	forbidden: 'always refused with 403',
	poor: 'a balance of 0.002 USD',
};

function readable(service: Service) {
	const { agent, assistant, router } = service;
	const workspaces = ['ws-1', 'ws-2', 'ws-3'].flatMap((name) => [
		`  ${agent.baseUrl(name)}`,
		`    ${'key'.padEnd(12)}${agent.key(name)}`,
	]);
	const keys = (list: object) =>
		Object.entries(list).map(
			([name, key]) =>
				`    ${name.padEnd(12)}${key}${MEANINGS[name] ? `  (${MEANINGS[name]})` : ''}`,
		);
	return [
		`Reference service on ${service.url}`,
		'',
		'A. Agent messaging (Authorization: Bearer <key>)',
		...workspaces,
		'B. Market assistant (X-API-Key)',
		`  ${assistant.baseUrl}`,
		...keys(assistant.keys),
		'C. Model router (X-API-KEY)',
		`  ${router.baseUrl}/v1`,
		...keys(router.keys),
		'',
		'End: Ctrl+C',
		'',
	].join('\n');
}
