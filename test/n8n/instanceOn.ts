import { startInstance, withoutPages, type Instance, type InstanceOptions } from './instance.ts';
import { startPostgres, type Postgres } from '../postgres/postgres.ts';
import { dataTableScopes, PublicApi } from './publicApi.ts';

export type Database = 'sqlite' | 'postgres';

export interface InstanceOn {
	instance: Instance;
	/** n8n's public API, with a key of the owner that is good for all that can be done to Data Tables */
	api: PublicApi;
	/** the environment that names n8n's database, for a connection beside n8n's own */
	env: Record<string, string>;
	postgres?: Postgres;
	/** Ends n8n and its database and removes both. */
	stop(): Promise<void>;
}

/**
 * A real n8n on SQLite, which does one thing at a time and so hides races, or on a PostgreSQL of its own, with ten
 * connections, since n8n's default of two lets few requests meet. It serves no pages.
 */
export async function instanceOn(
	database: Database,
	{ env = {}, ...options }: InstanceOptions = {},
): Promise<InstanceOn> {
	const postgres = database === 'postgres' ? await startPostgres() : undefined;
	let instance: Instance | undefined;
	const stop = async () => {
		await instance?.remove();
		await postgres?.stop();
	};
	try {
		const connection = postgres
			? { ...(await postgres.createDatabase()), DB_POSTGRESDB_POOL_SIZE: '10' }
			: {};
		instance = await startInstance({ ...options, env: { ...withoutPages, ...connection, ...env } });
		const key = await instance.editor.createApiKey(dataTableScopes);
		const api = new PublicApi(instance.url, key);
		return { instance, api, env: connection, ...(postgres && { postgres }), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
