import { readFileSync } from 'node:fs';
import type { Accounts } from './bridge.ts';
import type { SavedCredential } from './editor.ts';
import type { WorkflowFile } from './workflow.ts';

export const readExample = (file: string) =>
	JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as WorkflowFile;

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
