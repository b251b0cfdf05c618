// What both demos have: the reference service, somebody to write mails to, credentials, and the run of the examples.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startService } from '../test/service/service.ts';
import { accountsElsewhere, modelList, readForDemo, startElsewhere } from './elsewhere.ts';
import {
	DEMO_EXAMPLES,
	demoError,
	demoItems,
	demoLine,
	demoResult,
	ofThisWeek,
	PICTURE,
	reportLines,
	talkLines,
	type DemoExample,
} from './examples.ts';
import {
	chatMessage,
	owner,
	type CredentialSecret,
	type Editor,
	type SavedWorkflow,
} from '../test/n8n/editor.ts';
import { withModels } from '../test/n8n/example.ts';
import type { Execution, Item } from '../test/n8n/execution.ts';
import { freePort } from '../test/n8n/freePort.ts';
import { MailServer, type Mail } from '../test/n8n/mailServer.ts';
import { dataTableScopes } from '../test/n8n/publicApi.ts';
import { OwnedProcess } from '../test/n8n/ownedProcess.ts';
import { root } from '../scripts/machine.mjs';
import { describeFailure, tellWhile } from '../scripts/waiting.mjs';

const downloads = join(root, '.demo', 'downloads');

/** What a credential of a team has: a budget that no other node can spend, alarms, and a record of what was spent. */
const budget = {
	budgetUsd: '20',
	budgetPeriod: 'day',
	alarmPercents: '80, 100',
	recordSpending: true,
	allowedHttpRequestDomains: 'none',
};

/** What n8n talks to. */
export type Services = Awaited<ReturnType<typeof startServices>>;

/** An n8n with these services. `onRun`, if there is one, is called with each execution that has run. */
interface Demo extends Services {
	editor: Editor;
	onRun?: (execution: Execution) => void;
}

export async function startServices() {
	const service = await startService({ port: await freePort(5679), personas: true });
	// slow enough to be seen in the editor, as an agent is
	service.forms.pace = 20;
	service.forms.jobSeconds = 3;
	const mails = await MailServer.start();
	const elsewhere = await startElsewhere();
	const stop = async () => {
		await service.stop();
		await mails.stop();
		await elsewhere.stop();
	};
	return { service, mails, elsewhere, stop };
}

/** Milliseconds in which a process that has died is noticed: what it was asked fails before. */
const NOTICE = 500;

/**
 * Runs the demo, and ends it once, whoever asks for it first. Where it ends after the answers (`once`), all that is not well is an
 * error of the process: a step that failed, and an end before all steps were made. Whatever happens, its last line is a sentence.
 *
 * @param show The demo. It returns how many of its steps failed.
 * @param stop Ends what was started.
 */
export async function runDemo(
	show: () => Promise<number>,
	stop: () => Promise<void>,
	{ once, goodbye }: { once: boolean; goodbye: string },
) {
	let ending: Promise<never> | undefined;
	const end = async (code: number, lastWords: string) => {
		const stopAndExit = async () => {
			console.log('\nStopping …');
			const failure = await tellWhile('what was started ends', stop()).then(
				() => undefined,
				describeFailure,
			);
			console.log(failure ?? lastWords);
			process.exit(failure === undefined ? code : 1);
		};
		await (ending ??= stopAndExit());
	};
	const interrupted = () => void end(once ? 1 : 0, `The demo was ended. ${goodbye}`);
	process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
	let died: Error | undefined;
	const death = new Promise<never>((_resolve, reject) => {
		OwnedProcess.onDeath = (error) => reject((died ??= error));
	});
	const fail = async (error: unknown) => {
		await pause(NOTICE);
		// what is ended in the middle fails
		if (!ending) await end(1, describeFailure(died ?? error));
	};
	process.on('uncaughtException', (error) => void fail(error));
	// also after the answers, while somebody looks at them
	death.catch(fail);
	try {
		const failures = await Promise.race([show(), death]);
		const summary = failures ? `${failures} of the demo's steps failed.` : 'The demo has ended.';
		if (once) await end(failures ? 1 : 0, summary);
		else
			console.log(
				`\n${failures ? summary : 'All of it is there.'} Ctrl-C ends the demo. ${goodbye}`,
			);
	} catch (error) {
		await fail(error);
	}
}

/** The service's addresses change from run to run, so credentials of an earlier run are brought up to date. */
export async function saveCredentials({ editor, service, mails, elsewhere }: Demo) {
	const n8nApiKey = await editor.createApiKey(dataTableScopes);
	const ledger = { useJobLedger: true, n8nUrl: editor.url, n8nApiKey };
	const { agent, assistant, router } = service;
	const workspace = (id: string, name: string): CredentialSecret => ({
		type: 'workspaceAgentApi',
		name,
		data: { baseUrl: agent.baseUrl(id), apiKey: agent.key(id) },
	});
	const accounts: CredentialSecret[] = [
		// n8n preselects the one that was made last
		...accountsElsewhere(elsewhere),
		workspace('ws-2', 'Second Workspace Agent account'),
		workspace('ws-1', 'Workspace Agent account'),
		{
			type: 'marketAssistantApi',
			name: 'Crypto Q&A account',
			data: { baseUrl: assistant.baseUrl, apiKey: assistant.keys.pro, ...ledger },
		},
		{
			type: 'modelRouterApi',
			name: 'Model Router account',
			data: { baseUrl: router.baseUrl, apiKey: router.keys.main, ...ledger, ...budget },
		},
		mails.secret,
	];
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
 * @returns how many failed, and the workflow to open first
 */
export async function runExamples(
	demo: Demo,
): Promise<{ failures: number; first: SavedWorkflow | undefined }> {
	const { editor } = demo;
	const known = await editor.workflows();
	const all: Array<{ example: DemoExample; workflow: SavedWorkflow }> = [];
	// all of them first: the editor can be used while they run
	for (const example of [PICTURE, ...DEMO_EXAMPLES])
		all.push({
			example,
			workflow: await tellWhile(
				`n8n imports ${example.file}`,
				importExample(editor, known, example.file),
			),
		});
	let failures = 0;
	const parked: Parked[] = [];
	for (const { example, workflow } of all.filter(({ example: { node } }) => node)) {
		if (!(await tellWhile(`"${workflow.name}" runs`, runExample(demo, workflow, example, parked))))
			failures++;
		if (example === PICTURE) await tellPrices(demo);
	}
	for (const each of parked)
		if (!(await tellWhile(`"${each.name}" waits for its files`, tellTheRest(demo, each))))
			failures++;
	console.log('\nThese wait for something. Their notes say how to set them up:');
	for (const { example, workflow } of all.filter(({ example: { node } }) => !node))
		console.log(`  ${workflow.name}: ${example.waits}.`);
	return {
		failures,
		first: all.find(({ example }) => example === DEMO_EXAMPLES[0])?.workflow,
	};
}

/** Prints the models of OpenRouter as the list in the editor shows them. */
async function tellPrices({ editor }: Demo) {
	const account = (await editor.credentials()).find(({ name }) => name === 'OpenRouter account')!;
	const credentials = { modelRouterApi: { id: account.id, name: account.name } };
	const { results } = await editor.listSearch({ ...modelList, credentials });
	console.log('\nThe models of "OpenRouter account", as the list of the node shows them:');
	for (const { name, description } of results)
		console.log(`  ${[name, description].filter(Boolean).join(': ')}`);
}

/** Prints where everything is, and what to do first. From now on mails are told as they come. */
export function tellAddresses(
	{ editor, service, mails, elsewhere }: Demo,
	first: SavedWorkflow | undefined,
) {
	const { agent, assistant, router } = service;
	console.log(`\nReference service: ${service.url}, for credentials of your own:`);
	const tell = (kind: string, address: string, key: string) =>
		console.log(`  ${kind.padEnd(17)}${address}, key ${key}`);
	tell('Remote Agent', agent.baseUrl('ws-1'), agent.key('ws-1'));
	tell('Crypto Q&A', assistant.baseUrl, assistant.keys.pro);
	tell('Model Router', router.baseUrl, router.keys.main);
	tell('OpenRouter', elsewhere.openRouter.baseUrl, elsewhere.openRouter.key);
	console.log(`  ${'A2A'.padEnd(17)}${elsewhere.agent.url}, no key`);
	console.log(`\nPictures, videos:  ${relative(root, downloads)}`);
	console.log(`The editor:        ${editor.url}`);
	console.log(`  email:           ${owner.email}`);
	console.log(`  password:        ${owner.password}`);
	if (first) {
		console.log(`Open this first:   ${editor.url}/workflow/${first.id}`);
		console.log(`  "${first.name}": write into its chat, and read along.`);
	}
	// those that came between two examples first
	mails.mails.splice(0).forEach(tellMail);
	mails.onMail = tellMail;
}

/** Workflows of an earlier run are left as the user has changed them. */
async function importExample(
	editor: Editor,
	known: readonly SavedWorkflow[],
	file: string,
): Promise<SavedWorkflow> {
	const workflow = readForDemo(file);
	const found = known.find(({ name }) => name === workflow.name);
	return found
		? await editor.call('GET', `/rest/workflows/${found.id}`)
		: await editor.importWorkflow(withModels(ofThisWeek(workflow)));
}

/** An execution that n8n has put into its database, and whose files come later. */
interface Parked {
	name: string;
	id: string;
	address: string;
	example: DemoExample;
}

/** @returns whether it went well */
async function runExample(
	{ editor, mails, onRun }: Demo,
	workflow: SavedWorkflow,
	example: DemoExample,
	parked: Parked[],
) {
	let address = `${editor.url}/workflow/${workflow.id}`;
	const tell = (told: Pick<DemoExample, 'look' | 'waits'>, happened: string) =>
		console.log(`\n${demoLine(workflow.name, told, happened, address)}`);
	const given = example.says === undefined ? undefined : chatMessage(example.says);
	const execution = await editor.finishedOrParked(await editor.start(workflow, given));
	// what has run is shown with its data
	address += `/executions/${execution.id}`;
	const error = demoError(execution, example);
	if (error) {
		tell({ look: 'the node with the error' }, error);
		onRun?.(execution);
		return false;
	}
	const items = demoItems(execution, example);
	const isWaiting = execution.status === 'waiting';
	const saved = await saveFiles(editor, items);
	tell(example, saved ?? (isWaiting && !items.length ? '' : demoResult(items)));
	onRun?.(execution);
	mails.mails.splice(0).forEach(tellMail);
	for (const line of DEMO_EXAMPLES.indexOf(example) < 2 ? talkLines(items) : [])
		console.log(`  ${line}`);
	if (example.then) parked.push({ name: workflow.name, id: execution.id, address, example });
	return true;
}

/** What came of an example after its wait. @returns whether it went well */
async function tellTheRest(
	{ editor, onRun }: Demo,
	{ name, id, address, example: { then: node = '' } }: Parked,
) {
	const execution = await editor.finished(id);
	const error = demoError(execution, { node });
	const files = await saveFiles(editor, demoItems(execution, { node }));
	console.log(`\n${name}, after its wait: ${error ?? files ?? 'no files'}.\n  ${address}`);
	onRun?.(execution);
	return error === undefined && files !== undefined;
}

/** What a person is asked by email with the links to answer it, and what a report says. */
function tellMail({ subject, body, links }: Mail) {
	console.log(`  Email "${subject}"`);
	const answers = links.filter((url) => url.includes('approved='));
	for (const link of answers)
		console.log(`    ${link.includes('approved=true') ? 'approve' : 'decline'}: ${link}`);
	for (const line of answers.length ? [] : reportLines(body)) console.log(`    ${line}`);
}

/**
 * Puts the files of items where they can be opened without n8n.
 *
 * @returns where they are, and what they cost if it is known; undefined if there are none
 */
async function saveFiles(editor: Editor, items: readonly Item[]) {
	const places: string[] = [];
	for (const { json, binary = {} } of items)
		for (const file of Object.values(binary)) {
			mkdirSync(downloads, { recursive: true });
			const path = join(downloads, file.fileName ?? 'file');
			const bytes = await editor.bytesOf(file);
			writeFileSync(path, bytes);
			const cost = typeof json['costUsd'] === 'number' ? `, $${json['costUsd']}` : '';
			places.push(`${relative(root, path)} (${Math.round(bytes.length / 1024)} KB${cost})`);
		}
	return places.length ? places.join(', ') : undefined;
}
