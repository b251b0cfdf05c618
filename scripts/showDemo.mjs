// The demo, on Node 24 with everything installed: `node scripts/showDemo.mjs <tarball> [--once]`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { startService } from '../test/service/service.ts';
import { DEMO_EXAMPLES, demoError, demoLine, demoResult, talkLines } from '../test/n8n/demo.ts';
import { chatMessage, owner } from '../test/n8n/editor.ts';
import { withModels } from '../test/n8n/example.ts';
import { itemsOf } from '../test/n8n/execution.ts';
import { freePort } from '../test/n8n/freePort.ts';
import { startInstance } from '../test/n8n/instance.ts';
import { dataTableScopes } from '../test/n8n/instanceOn.ts';
import { MailServer } from '../test/n8n/mailServer.ts';
import { root } from './machine.mjs';

const [tarball, ...flags] = process.argv.slice(2);
const folder = join(root, '.demo', 'n8n');
const downloads = join(root, '.demo', 'downloads');
const installed = join(root, '.demo', 'installed');
// what n8n puts there is deleted with the folder
process.env.TMPDIR = join(root, '.demo', 'tmp');

let service;
let mails;
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
	service = await startService({ port: await freePort(5679), personas: true });
	// slow enough to be seen in the editor, as an agent is
	service.forms.pace = 20;
	service.forms.jobSeconds = 3;
	mails = await MailServer.start();
	const isNew = !existsSync(installed) || readFileSync(installed, 'utf8') !== tarball;
	console.log(isNew ? 'Installing the package into n8n and starting it …' : 'Starting n8n …');
	const started = Date.now();
	instance = await startInstance({ folder, port: 5678, tarball: isNew ? tarball : undefined });
	writeFileSync(installed, tarball);
	console.log(`  done in ${((Date.now() - started) / 1000).toFixed(0)} s`);

	await saveCredentials(instance.editor);
	let failures = 0;
	const known = await instance.editor.workflows();
	const workflows = [];
	// all of them first: the editor can be used while they run
	for (const { file } of DEMO_EXAMPLES) {
		workflows.push(await importExample(instance.editor, known, file));
	}
	for (const [index, example] of DEMO_EXAMPLES.entries()) {
		if (!(await runExample(instance.editor, workflows[index], example))) failures++;
	}
	console.log(`\nThe editor:        ${instance.url}`);
	console.log(`  e-mail:          ${owner.email}`);
	console.log(`  password:        ${owner.password}`);
	console.log(`Reference service: ${service.url}`);
	mails.onMail = tellMail;
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
	accounts.push(mails.secret);
	const known = await editor.credentials();
	for (const secret of accounts) {
		const found = known.find(({ type, name }) => type === secret.type && name === secret.name);
		if (found) await editor.updateCredential({ ...secret, id: found.id });
		else await editor.createCredential(secret);
	}
}

/** Workflows of an earlier run are left as the user has changed them. */
async function importExample(editor, known, file) {
	const workflow = JSON.parse(readFileSync(join(root, 'examples', file), 'utf8'));
	const found = known.find(({ name }) => name === workflow.name);
	return found
		? await editor.call('GET', `/rest/workflows/${found.id}`)
		: await editor.importWorkflow(withModels(workflow));
}

/** @returns whether it went well */
async function runExample(editor, workflow, example) {
	let address = `${instance.url}/workflow/${workflow.id}`;
	const tell = (told, happened) =>
		console.log(`\n${demoLine(workflow.name, told, happened, address)}`);
	if (!example.node) {
		tell(example, '');
		return true;
	}
	const given = example.says && chatMessage(example.says);
	const execution = await editor.finishedOrParked(await editor.start(workflow, given));
	// what has run is shown with its data
	address += `/executions/${execution.id}`;
	const error = demoError(execution);
	if (error) {
		tell({ look: 'the node with the error' }, error);
		return false;
	}
	const items = itemsOf(execution, example.node, example.output);
	const { waits, ...finished } = example;
	const isWaiting = execution.status === 'waiting';
	tell(isWaiting ? example : finished, isWaiting && !items.length ? '' : demoResult(items));
	if (isWaiting) mails.mails.splice(0).forEach(tellMail);
	for (const line of example === DEMO_EXAMPLES[0] ? talkLines(items) : []) console.log(`  ${line}`);
	await saveFiles(editor, items);
	return true;
}

/** What a person is asked by e-mail, and the links to answer it. */
function tellMail({ subject, links }) {
	console.log(`  E-mail "${subject}"`);
	for (const link of links.filter((url) => url.includes('approved=')))
		console.log(`    ${link.includes('approved=true') ? 'approve' : 'decline'}: ${link}`);
}

/** Puts the files of items where they can be opened without n8n. */
async function saveFiles(editor, items) {
	for (const file of items.flatMap(({ binary = {} }) => Object.values(binary))) {
		mkdirSync(downloads, { recursive: true });
		const path = join(downloads, file.fileName ?? 'file');
		const bytes = await editor.bytesOf(file);
		writeFileSync(path, bytes);
		console.log(`  ${Math.round(bytes.length / 1024)} KB in ${relative(root, path)}`);
	}
}

async function end(code) {
	ending ??= (async () => {
		console.log('\nStopping …');
		await instance?.stop();
		await service?.stop();
		await mails?.stop();
		process.exit(code);
	})();
	await ending;
}
