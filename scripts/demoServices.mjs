// What both demos have: the reference service, somebody to write mails to, credentials, and the run of the examples.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { startService } from '../test/service/service.ts';
import { DEMO_EXAMPLES, demoError, demoLine, demoResult, talkLines } from './demoExamples.ts';
import { chatMessage, owner } from '../test/n8n/editor.ts';
import { withModels } from '../test/n8n/example.ts';
import { itemsOf } from '../test/n8n/execution.ts';
import { freePort } from '../test/n8n/freePort.ts';
import { MailServer } from '../test/n8n/mailServer.ts';
import { root } from './machine.mjs';

const downloads = join(root, '.demo', 'downloads');

/** Starts what n8n talks to. */
export async function startServices() {
	const service = await startService({ port: await freePort(5679), personas: true });
	// slow enough to be seen in the editor, as an agent is
	service.forms.pace = 20;
	service.forms.jobSeconds = 3;
	const mails = await MailServer.start();
	return { service, mails };
}

/** Ends the demo once, whoever asks for it first. @param stop Ends what was started. */
export function createEnd(stop) {
	let ending;
	const end = async (code) => {
		ending ??= (async () => {
			console.log('\nStopping …');
			await stop();
			process.exit(code);
		})();
		await ending;
	};
	process.on('SIGINT', () => end(0)).on('SIGTERM', () => end(0));
	/** Runs the demo. @param show Its part that can fail. @returns how many things went wrong */
	return async (show, { once, goodbye }) => {
		try {
			const failures = await show();
			if (once) await end(failures ? 1 : 0);
			else console.log(`\nCtrl-C ends the demo. ${goodbye}`);
		} catch (error) {
			// what is ended in the middle fails
			if (ending) return;
			console.error(error.stack ?? error);
			await end(1);
		}
	};
}

/** The service's addresses change from run to run, so credentials of an earlier run are brought up to date. */
export async function saveCredentials({ editor, service, mails }, n8nApiKey) {
	const ledger = { useJobLedger: true, n8nUrl: editor.url, n8nApiKey };
	const { agent, assistant, router } = service;
	const account = (type, name, baseUrl, apiKey, more = {}) => ({
		...{ type, name },
		data: { baseUrl, apiKey, ...more },
	});
	const accounts = [
		// n8n preselects the one that was made last
		...[
			['ws-2', 'Second Workspace Agent account'],
			['ws-1', 'Workspace Agent account'],
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

/**
 * Runs the examples, and tells what came of each.
 *
 * @param demo `onRun`, if there is one, is called with each execution that has run.
 * @returns how many failed
 */
export async function runExamples(demo) {
	const { editor } = demo;
	const known = await editor.workflows();
	const workflows = [];
	// all of them first: the editor can be used while they run
	for (const { file } of DEMO_EXAMPLES) workflows.push(await importExample(editor, known, file));
	const [first] = workflows;
	demo.first = { name: first.name, address: `${editor.url}/workflow/${first.id}` };
	let failures = 0;
	const all = DEMO_EXAMPLES.map((example, index) => ({ example, workflow: workflows[index] }));
	for (const { example, workflow } of all.filter(({ example: { node } }) => node))
		if (!(await runExample(demo, workflow, example))) failures++;
	console.log('\nThese wait for something. Their notes say how to set them up:');
	for (const { example, workflow } of all.filter(({ example: { node } }) => !node))
		console.log(`  ${workflow.name}: ${example.waits}.`);
	return failures;
}

/** Prints where everything is, and what to do first. From now on mails are told as they come. */
export function tellAddresses({ editor, service, mails, first }) {
	const { agent, assistant, router } = service;
	console.log(`\nReference service: ${service.url}, for credentials of your own:`);
	for (const [kind, address, key] of [
		['Workspace Agent', agent.baseUrl('ws-1'), agent.key('ws-1')],
		['Market Assistant', assistant.baseUrl, assistant.keys.pro],
		['Model Router', router.baseUrl, router.keys.main],
	])
		console.log(`  ${kind.padEnd(17)}${address}, key ${key}`);
	console.log(`\nThe editor:        ${editor.url}`);
	console.log(`  email:           ${owner.email}`);
	console.log(`  password:        ${owner.password}`);
	console.log(`Open this first:   ${first.address}`);
	console.log(`  "${first.name}": write into its chat, and read along.`);
	// those that came between two examples first
	mails.mails.splice(0).forEach(tellMail);
	mails.onMail = tellMail;
}

/** Workflows of an earlier run are left as the user has changed them. */
async function importExample(editor, known, file) {
	const workflow = JSON.parse(readFileSync(join(root, 'gallery', file), 'utf8'));
	const found = known.find(({ name }) => name === workflow.name);
	return found
		? await editor.call('GET', `/rest/workflows/${found.id}`)
		: await editor.importWorkflow(withModels(workflow));
}

/** @returns whether it went well */
async function runExample({ editor, mails, onRun }, workflow, example) {
	let address = `${editor.url}/workflow/${workflow.id}`;
	const tell = (told, happened) =>
		console.log(`\n${demoLine(workflow.name, told, happened, address)}`);
	const given = example.says && chatMessage(example.says);
	const execution = await editor.finishedOrParked(await editor.start(workflow, given));
	// what has run is shown with its data
	address += `/executions/${execution.id}`;
	const error = demoError(execution);
	if (error) {
		tell({ look: 'the node with the error' }, error);
		onRun?.(execution);
		return false;
	}
	const items = itemsOf(execution, example.node, example.output);
	const { waits, ...finished } = example;
	const isWaiting = execution.status === 'waiting';
	tell(isWaiting ? example : finished, isWaiting && !items.length ? '' : demoResult(items));
	onRun?.(execution);
	if (isWaiting) mails.mails.splice(0).forEach(tellMail);
	for (const line of example === DEMO_EXAMPLES[0] ? talkLines(items) : []) console.log(`  ${line}`);
	await saveFiles(editor, items);
	return true;
}

/** What a person is asked by email, and the links to answer it. */
function tellMail({ subject, links }) {
	console.log(`  Email "${subject}"`);
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
