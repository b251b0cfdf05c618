import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinaryDataService, ErrorReporter, type BinaryDataConfig } from 'n8n-core';
import { Logger } from '@n8n/backend-common';

import { Container } from './container';

export interface FileStore {
	folder: string;
	/** Paths of everything in it, half-written files included. */
	files(): string[];
	/** n8n keeps files in memory again. */
	remove(): void;
}

/** Makes n8n-core keep files in its file system, as n8n does by default. */
export async function useFileStore(
	folder = mkdtempSync(join(tmpdir(), 'files-')),
): Promise<FileStore> {
	const config = { mode: 'filesystem', localStoragePath: folder } as BinaryDataConfig;
	const before = Container.get(BinaryDataService);
	const service = new BinaryDataService(
		config,
		Container.get(ErrorReporter),
		Container.get(Logger),
	);
	await service.init();
	Container.set(BinaryDataService, service);
	return {
		folder,
		files: () =>
			readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ parentPath, name }) => join(parentPath, name)),
		remove() {
			Container.set(BinaryDataService, before);
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
