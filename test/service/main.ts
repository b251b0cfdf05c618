import { parseArgs } from 'node:util';
import { writeFileSync } from 'node:fs';

import { startService, type Service } from './service.ts';

const { values } = parseArgs({
	options: {
		port: { type: 'string', default: '0' },
		/** One JSON line in place of readable ones. */
		json: { type: 'boolean', default: false },
		https: { type: 'boolean', default: false },
		/** Milliseconds between two pieces of a stream. */
		pace: { type: 'string', default: '0' },
		/** Answers and files as in the demo. */
		personas: { type: 'boolean', default: false },
		/** File to write the CA's PEM to. */
		ca: { type: 'string' },
	},
});

// no top-level await: this file must load as CommonJS too
void run();

async function run(): Promise<void> {
	const service = await startService({
		port: Number(values.port),
		https: values.https,
		personas: values.personas,
	});
	service.forms.pace = Number(values.pace);
	if (values.ca) writeFileSync(values.ca, service.ca);
	process.stdout.write(values.json ? `${JSON.stringify(linesOf(service))}\n` : readable(service));

	const end = () => void service.stop().then(() => process.exit(0));
	process.once('SIGTERM', end);
	process.once('SIGINT', end);
}

function linesOf(service: Service) {
	const workspaces = ['ws-1', 'ws-2', 'ws-3'].map((name) => ({
		name,
		baseUrl: service.agent.baseUrl(name),
		key: service.agent.key(name),
	}));
	return {
		url: service.url,
		httpsUrl: service.httpsUrl,
		ca: service.ca,
		agent: workspaces,
		assistant: service.assistant,
		router: service.router,
	};
}

/** What the keys are for that a first try does not need. */
const MEANINGS: Readonly<Record<string, string>> = {
	pro: 'a plan with more requests a minute',
	enterprise: 'a plan with more requests a minute',
	forbidden: 'always refused with 403',
	poor: 'a balance of 0.002 USD',
};

function readable(service: Service): string {
	const { agent, assistant, router } = linesOf(service);
	const keys = (list: object) =>
		Object.entries(list).map(
			([name, key]) =>
				`    ${name.padEnd(12)}${key}${MEANINGS[name] ? `  (${MEANINGS[name]})` : ''}`,
		);
	return [
		`Reference service on ${service.url}${service.httpsUrl && ` and ${service.httpsUrl}`}`,
		'',
		'A. Agent messaging (Authorization: Bearer <key>)',
		...agent.flatMap(({ baseUrl, key }) => [`  ${baseUrl}`, `    ${'key'.padEnd(12)}${key}`]),
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
