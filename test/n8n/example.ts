import { readFileSync } from 'node:fs';
import { model, type Accounts } from './bridge.ts';
import type { SavedCredential } from './editor.ts';
import type { WorkflowFile } from './workflow.ts';

export const readExample = (file: string) =>
	JSON.parse(readFileSync(`gallery/${file}`, 'utf8')) as WorkflowFile;

/** An example with the credentials that it names: by name, as a user picks them. */
export function exampleFor(
	accounts: Accounts | Record<string, SavedCredential>,
	file: string,
): WorkflowFile {
	const example = readExample(file);
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

/** Resources of the Model Router node whose model may be of any kind. */
const MEDIA = 'media';
const CATALOG = 'model';

/** The text models that a user of the reference service could choose where an example leaves it open. */
const ANY_TEXT_MODEL = 'northwind/quill-2.5';
const ANOTHER_TEXT_MODEL = 'Aurora-Labs/Prism-4.1-Turbo';

/** An example with a model chosen wherever a text model is still to be chosen: another one where two are compared. */
export function withModels(file: WorkflowFile): WorkflowFile {
	const isOpen = ({ parameters, disabled }: WorkflowFile['nodes'][number]) => {
		const chosen = parameters['model'] as { value?: unknown } | undefined;
		const isText = ![MEDIA, CATALOG].includes(String(parameters['resource']));
		return chosen?.value === '' && isText && disabled !== true;
	};
	const nodes = file.nodes.map((node) =>
		isOpen(node)
			? { ...node, parameters: { ...node.parameters, model: model(chosenFor(node.name)) } }
			: node,
	);
	return { ...file, nodes };
}

const chosenFor = (name: string) => (name === 'Second Model' ? ANOTHER_TEXT_MODEL : ANY_TEXT_MODEL);
