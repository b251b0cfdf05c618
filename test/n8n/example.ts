import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { model, type Accounts } from './bridge.ts';
import type { SavedCredential } from './editor.ts';
import type { WorkflowFile, WorkflowNode } from './workflow.ts';

/** The files of the gallery, and the small ones to learn from. No two have one name. */
export const GALLERY = readdirSync('gallery').sort();
export const LESSONS = readdirSync('lessons').sort();

export const pathOfExample = (file: string) =>
	existsSync(`gallery/${file}`) ? `gallery/${file}` : `lessons/${file}`;

export const readExample = (file: string) =>
	JSON.parse(readFileSync(pathOfExample(file), 'utf8')) as WorkflowFile;

export const exampleFor = (
	accounts: Accounts | Record<string, SavedCredential>,
	file: string,
): WorkflowFile => withAccounts(accounts, readExample(file));

/** A workflow with the credentials that it names: by name, as a user picks them. */
export function withAccounts(
	accounts: Accounts | Record<string, SavedCredential>,
	example: WorkflowFile,
): WorkflowFile {
	for (const each of example.nodes) {
		for (const [type, credential] of Object.entries(each.credentials ?? {})) {
			const account = Object.values<SavedCredential>({ ...accounts }).find(
				(known) => known.type === type && known.name === credential.name,
			);
			credential.id = account?.id ?? null;
		}
	}
	return example;
}

/** The resource of the Model Router node whose operations filter or name models, and need none. */
const CATALOG = 'model';

/** The models that a user of the reference service could choose where an example leaves it open. */
const ANY_TEXT_MODEL = 'northwind/quill-2.5';
const ANOTHER_TEXT_MODEL = 'Aurora-Labs/Prism-4.1-Turbo';
const MODEL_THAT_SEES = 'aurora-labs/omni-2';
const MEDIA_MODELS: Record<string, string> = {
	images: 'canvas/sketch-1',
	videos: 'reel/clip-3',
	audio: 'voice/speaker-1',
	music: 'tune/melody-1',
};

/** An example with a model chosen wherever one is still to be chosen: another one where two are compared. */
export function withModels(file: WorkflowFile): WorkflowFile {
	const nodes = file.nodes.map((node) =>
		isOpen(node)
			? { ...node, parameters: { ...node.parameters, model: model(chosenFor(node)) } }
			: node,
	);
	return { ...file, nodes };
}

/** Whether a model is still to be chosen. */
export function isOpen({ parameters, disabled }: WorkflowNode) {
	const chosen = parameters['model'] as { value?: unknown } | undefined;
	return chosen?.value === '' && parameters['resource'] !== CATALOG && disabled !== true;
}

function chosenFor({ name, parameters }: WorkflowNode) {
	if (parameters['resource'] === 'media')
		return MEDIA_MODELS[String(parameters['mediaType'] ?? 'images')] ?? '';
	if (parameters['attachments']) return MODEL_THAT_SEES;
	return name === 'Second Model' ? ANOTHER_TEXT_MODEL : ANY_TEXT_MODEL;
}
