import { randomUUID } from 'node:crypto';
import { BinaryDataService, ErrorReporter, type BinaryDataConfig } from 'n8n-core';
import { Logger } from '@n8n/backend-common';

import { Container } from './container';

type Manager = Parameters<BinaryDataService['setManager']>[1];

export interface DatabaseStore {
	/** The bytes of each stored file. Their content is not kept. */
	sizes: number[];
	/** n8n keeps files in memory again. */
	remove(): void;
}

/**
 * Makes n8n-core keep files in a database, as n8n does in queue mode: a file is there once all of it has come. The database itself
 * is n8n's, and `test/queue` has it.
 */
export async function useDatabaseStore(): Promise<DatabaseStore> {
	const config = { mode: 'database', localStoragePath: '/nowhere' } as unknown as BinaryDataConfig;
	const before = Container.get(BinaryDataService);
	const service = new BinaryDataService(
		config,
		Container.get(ErrorReporter),
		Container.get(Logger),
	);
	const sizes: number[] = [];
	Object.assign(service, { mode: config.mode });
	service.setManager(
		'database' as Parameters<typeof service.setManager>[0],
		{
			async store(_location: unknown, bytes: Buffer | AsyncIterable<Buffer>) {
				let fileSize = 0;
				if (Buffer.isBuffer(bytes)) fileSize = bytes.length;
				else for await (const chunk of bytes) fileSize += chunk.length;
				sizes.push(fileSize);
				return { fileId: randomUUID(), fileSize };
			},
		} as unknown as Manager,
	);
	Container.set(BinaryDataService, service);
	return { sizes, remove: () => void Container.set(BinaryDataService, before) };
}
