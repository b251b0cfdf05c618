// What the workflows of GitHub Actions may do: a tag of somebody else's action can be moved, and whoever can make the workflow
// run code while it may publish can publish anything.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * @typedef {Record<string, string> | string} Rights
 * @typedef {{ uses?: string, with?: Record<string, unknown>, run?: string }} Step
 * @typedef {{ steps?: Step[], permissions?: Record<string, string>, environment?: unknown }} Job
 * @typedef {{ on: unknown, permissions?: Rights, jobs: Record<string, Job> }} Workflow
 * @typedef {{ file: string, text: string }} WorkflowText
 */

/** @type {(text: string) => Workflow} */
const read = parse;

/**
 * @param {string} root
 * @returns what is wrong, as sentences
 */
export function findWorkflowProblems(root) {
	const files = globSync('.github/workflows/*.{yml,yaml}', { cwd: root }).sort();
	const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
	const jobs = texts.flatMap(({ file, text }) =>
		Object.entries(read(text).jobs).map(([name, job]) => ({
			place: `${file}, job "${name}"`,
			job,
		})),
	);
	return [
		...texts.flatMap(({ file, text }) => [
			...findUnpinned(file, text),
			...findRights(file, read(text)),
		]),
		...findDifferentPins(texts),
		...findPublishingProblems(jobs),
	];
}

/**
 * Every action of every line, with the version that the comment names.
 *
 * @param {string} text
 */
const actionsIn = (text) =>
	[...text.matchAll(/^\s*(?:- )?uses:\s*(\S+?)(?:@(\S+))?(?:\s+#\s*(\S+))?\s*$/gm)].map(
		([, action = '', commit = '', version = '']) => ({ action, commit, version }),
	);

/**
 * @param {string} file
 * @param {string} text
 */
function findUnpinned(file, text) {
	const found = actionsIn(text);
	const all = text.match(/\buses:/g)?.length ?? 0;
	return [
		...(all === found.length ? [] : [`${file} has a "uses:" that cannot be read: one per line`]),
		...found
			.filter(({ action }) => !action.startsWith('./'))
			.filter(
				({ commit, version }) =>
					!/^[0-9a-f]{40}$/.test(commit) || !/^v\d+\.\d+\.\d+$/.test(version),
			)
			.map(
				({ action }) =>
					`${file} uses ${action} without the 40 digits of a commit and its version: write ${action}@<commit> # v1.2.3`,
			),
	];
}

/**
 * @param {string} file
 * @param {Workflow} workflow
 */
function findRights(file, { on, permissions, jobs }) {
	const problems = [];
	if (permissions === undefined || !isReadOnly(permissions)) {
		problems.push(
			`${file} has to begin with "permissions: { contents: read }": a job that needs more asks for it itself`,
		);
	}
	if (JSON.stringify(on).includes('pull_request_target'))
		problems.push(`${file} runs on pull_request_target, with the rights of this repository`);
	for (const [name, { steps = [] }] of Object.entries(jobs)) {
		const kept = steps.filter(
			(step) =>
				step.uses?.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false,
		);
		if (kept.length)
			problems.push(`${file}, job "${name}": checkout needs "persist-credentials: false"`);
	}
	return problems;
}

/** @param {Rights} permissions */
const isReadOnly = (permissions) =>
	typeof permissions === 'object' &&
	Object.values(permissions).every((right) => right === 'read' || right === 'none');

/**
 * One action at two commits: an update was made in one place only.
 *
 * @param {readonly WorkflowText[]} texts
 */
function findDifferentPins(texts) {
	/** @type {Map<string, Set<string>>} */
	const commits = new Map();
	for (const { action, commit } of texts.flatMap(({ text }) => actionsIn(text))) {
		const repository = action.split('/').slice(0, 2).join('/');
		commits.set(repository, new Set([...(commits.get(repository) ?? []), commit]));
	}
	return [...commits]
		.filter(([, used]) => used.size > 1)
		.map(([repository]) => `the workflows use ${repository} at more than one commit`);
}

/** @param {ReadonlyArray<{ place: string, job: Job }>} jobs */
function findPublishingProblems(jobs) {
	const problems = [];
	/** @param {Job} job */
	const commandsOf = ({ steps = [] }) => steps.map(({ run = '' }) => run).join('\n');
	const publishing = jobs.filter(({ job }) => /\bnpm publish\b/.test(commandsOf(job)));
	if (publishing.length !== 1)
		return [`${publishing.length} jobs of the workflows publish: it has to be one`];
	for (const { place, job } of jobs) {
		const mayPublish = job.permissions?.['id-token'] === 'write';
		const isPublishing = publishing.some((one) => one.job === job);
		if (mayPublish && !isPublishing)
			problems.push(`${place} has "id-token: write", which only the job that publishes needs`);
		if (!isPublishing) continue;
		const commands = commandsOf(job);
		if (!mayPublish) problems.push(`${place} needs "id-token: write" for provenance`);
		if (!/npm publish .*--provenance\b/.test(commands))
			problems.push(`${place} publishes without --provenance`);
		if (/\bnpm (ci|install|i|run|exec|test)\b|\bnpx\b/.test(commands))
			problems.push(`${place} runs other code while it may publish: do that in a job before it`);
		if (!job.environment)
			problems.push(`${place} needs an "environment", where a person approves the release`);
		if (JSON.stringify(job).includes('secrets.'))
			problems.push(`${place} uses a secret: trusted publishing needs none`);
	}
	return problems;
}
