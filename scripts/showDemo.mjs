// The demo, on Node 24 with everything installed: `node scripts/showDemo.mjs <tarball> [--once]`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { startService } from '../test/service/service.ts';
import { owner } from '../test/n8n/editor.ts';
import { itemsOf } from '../test/n8n/execution.ts';
import { freePort } from '../test/n8n/freePort.ts';
import { startInstance } from '../test/n8n/instance.ts';
import { dataTableScopes } from '../test/n8n/instanceOn.ts';
import { root } from './machine.mjs';

const [tarball, ...flags] = process.argv.slice(2);
const folder = join(root, '.demo', 'n8n');
const downloads = join(root, '.demo', 'downloads');
const installed = join(root, '.demo', 'installed');
// what n8n puts there is deleted with the folder
process.env.TMPDIR = join(root, '.demo', 'tmp');

let service;
let instance;
let ending;
process.on('SIGINT', () => end(0)).on('SIGTERM', () => end(0));

try {
	const failures = await show();
	if (flags.includes('--once')) await end(failures ? 1 : 0);
	else
		console.log(
			'\nCtrl-C ends the demo. Its data stays in .demo: delete the folder to begin anew.',
		);
} catch (error) {
	if (!ending) {
		console.error(error.stack ?? error);
		await end(1);
	}
}

async function show() {
	mkdirSync(process.env.TMPDIR, { recursive: true });
	service = await startService({ port: await freePort(5679) });
	// slow enough to be seen in the editor, as an agent is
	service.forms.pace = 20;
	const isNew = !existsSync(installed) || readFileSync(installed, 'utf8') !== tarball;
	console.log(isNew ? 'Installing the package into n8n and starting it …' : 'Starting n8n …');
	const started = Date.now();
	instance = await startInstance({ folder, port: 5678, tarball: isNew ? tarball : undefined });
	writeFileSync(installed, tarball);
	console.log(`  done in ${((Date.now() - started) / 1000).toFixed(0)} s`);

	await saveCredentials(instance.editor);
	let failures = 0;
	for (const workflow of await importExamples(instance.editor)) {
		if (!(await run(instance.editor, workflow))) failures++;
	}
	console.log(`\nThe editor:        ${instance.url}`);
	console.log(`  e-mail:          ${owner.email}`);
	console.log(`  password:        ${owner.password}`);
	console.log(`Reference service: ${service.url}`);
	return failures;
}

/** The service's addresses change from run to run, so credentials of an earlier run are brought up to date. */
async function saveCredentials(editor) {
	const ledger = {
		useJobLedger: true,
		n8nUrl: instance.url,
		n8nApiKey: await editor.createApiKey(dataTableScopes),
	};
	const { agent, assistant, router } = service;
	const account = (type, name, baseUrl, apiKey, more = {}) => ({
		...{ type, name },
		data: { baseUrl, apiKey, ...more },
	});
	const accounts = [
		...[
			['ws-1', 'Workspace Agent account'],
			['ws-2', 'Second Workspace Agent account'],
		].map(([id, name]) => account('workspaceAgentApi', name, agent.baseUrl(id), agent.key(id))),
		account(
			...['marketAssistantApi', 'Market Assistant account'],
			...[assistant.baseUrl, assistant.keys.pro, ledger],
		),
		account(
			...['modelRouterApi', 'Model Router account'],
			...[router.baseUrl, router.keys.main, ledger],
		),
	];
	const known = await editor.credentials();
	for (const secret of accounts) {
		const found = known.find(({ type, name }) => type === secret.type && name === secret.name);
		if (found) await editor.updateCredential({ ...secret, id: found.id });
		else await editor.createCredential(secret);
	}
}

/** Workflows of an earlier run are left as the user has changed them. */
async function importExamples(editor) {
	const known = await editor.workflows();
	const saved = [];
	const files = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.json'));
	// the agents first, as in the README; the rest by name
	files.sort(
		(a, b) => Number(b.includes('agent')) - Number(a.includes('agent')) || a.localeCompare(b),
	);
	for (const file of files) {
		const workflow = JSON.parse(readFileSync(join(root, 'examples', file), 'utf8'));
		const found = known.find(({ name }) => name === workflow.name);
		saved.push(
			found
				? await editor.call('GET', `/rest/workflows/${found.id}`)
				: await editor.importWorkflow(workflow),
		);
	}
	return saved;
}

async function run(editor, workflow) {
	if (!workflow.nodes.some(({ type }) => type === 'n8n-nodes-base.manualTrigger')) {
		const block = workflow.nodes.some(({ type }) => type.endsWith('.executeWorkflowTrigger'));
		const use = block ? 'for your own workflows to call' : 'its trigger waits for you';
		console.log(`\n${workflow.name}: open it in the editor, ${use}`);
		return true;
	}
	const execution = await editor.finishedOrParked(await editor.start(workflow));
	const parked = execution.status === 'waiting';
	const told = parked ? "waits in n8n's database: see Executions in 2 minutes" : execution.status;
	console.log(`\n${workflow.name}: ${told}`);
	for (const { name, type } of workflow.nodes.filter((node) =>
		node.type.startsWith('n8n-nodes-agent-bridge.'),
	)) {
		// the bridge tells its result at the last output
		const output = type.endsWith('.agentBridge') ? 2 : 0;
		for (const item of itemsOf(execution, name, output)) {
			console.log(`  ${name}: ${await toldOf(editor, item)}`);
		}
		const error = execution.runData[name]?.at(-1)?.error;
		if (error)
			console.log(
				`  ${name} (${type}): ${error.message}${error.description ? ` ${error.description}` : ''}`,
			);
	}
	return parked || execution.status === 'success';
}

async function toldOf(editor, { json, binary = {} }) {
	const lines = [];
	if (json.output) lines.push(json.output);
	if (json.transcript) lines.push(`${json.turns} turns, ended: ${json.reason}`);
	for (const { name, input } of json.toolCalls ?? []) {
		if (name) lines.push(`asks for ${name} with ${JSON.stringify(input)}`);
	}
	for (const file of Object.values(binary)) {
		const bytes = await editor.bytesOf(file);
		const path = join(downloads, file.fileName ?? 'file');
		mkdirSync(downloads, { recursive: true });
		writeFileSync(path, bytes);
		lines.push(
			`${json.state} for ${json.costMicroUsd} micro-dollars, ${bytes.length} bytes in ${relative(root, path)}`,
		);
	}
	if (!lines.length && json.jobId) lines.push(`${json.jobId} is ${json.state}`);
	return lines.join('\n    ') || JSON.stringify(json);
}

async function end(code) {
	ending ??= (async () => {
		console.log('\nStopping …');
		await instance?.stop();
		await service?.stop();
		process.exit(code);
	})();
	await ending;
}
