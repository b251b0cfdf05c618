import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinaryDataService, ErrorReporter, type BinaryDataConfig } from 'n8n-core';
import { Logger } from '@n8n/backend-common';

import { Container } from './container';

/** Makes n8n-core keep files elsewhere than in memory. */
function useStore(mode: string, localStoragePath: string) {
	const config = { mode, localStoragePath } as BinaryDataConfig;
	const before = Container.get(BinaryDataService);
	const service = new BinaryDataService(
		config,
		Container.get(ErrorReporter),
		Container.get(Logger),
	);
	Container.set(BinaryDataService, service);
	/** `remove`: n8n keeps files in memory again. */
	return { service, remove: () => void Container.set(BinaryDataService, before) };
}

export type FileStore = Awaited<ReturnType<typeof useFileStore>>;

/** Makes n8n-core keep files in its file system, as n8n does by default. */
export async function useFileStore(folder = mkdtempSync(join(tmpdir(), 'files-'))) {
	const { service, remove } = useStore('filesystem', folder);
	await service.init();
	return {
		folder,
		/** Paths of everything in it, half-written files included. */
		files: () =>
			readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ parentPath, name }) => join(parentPath, name)),
		remove() {
			remove();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

export type DatabaseStore = ReturnType<typeof useDatabaseStore>;

/**
 * Makes n8n-core keep files in a database, as n8n does in queue mode: a file is there once all of it has come. The database itself
 * is n8n's, and `test/queue` has it.
 */
export function useDatabaseStore() {
	const { service, remove } = useStore('database', '/nowhere');
	/** The bytes of each stored file. Their content is not kept. */
	const sizes: number[] = [];
	Object.assign(service, { mode: 'database' });
	const manager = {
		async store(_location: unknown, bytes: Buffer | AsyncIterable<Buffer>) {
			let fileSize = 0;
			if (Buffer.isBuffer(bytes)) fileSize = bytes.length;
			else for await (const chunk of bytes) fileSize += chunk.length;
			sizes.push(fileSize);
			return { fileId: randomUUID(), fileSize };
		},
	};
	type Given = Parameters<typeof service.setManager>;
	service.setManager('database' as Given[0], manager as unknown as Given[1]);
	return { sizes, remove };
}
