import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * The place that n8n installs a package from, with the tarball of this run as its latest version. n8n takes another registry
 * with an enterprise license only (`getNpmRegistry` in community-packages.service.js), so an `npm` in front of npm names this one.
 */
export class PackageSource {
	/** With it n8n installs from here, and reaches nothing outside. Its `PATH` goes in front. */
	readonly env: Record<string, string>;
	/** To be put in front of `PATH`. */
	readonly programs: string;
	readonly #server: Server;

	private constructor(server: Server, programs: string) {
		this.#server = server;
		this.programs = programs;
		// nobody listens there: npm is asked then
		this.env = { HTTPS_PROXY: 'http://127.0.0.1:9' };
	}

	static async start(tarball: string, folder: string): Promise<PackageSource> {
		const bytes = readFileSync(tarball);
		const manifest = JSON.parse(
			execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }),
		) as { name: string; version: string };
		const { name, version } = manifest;
		const server = createServer(({ url }, response) => {
			if (url?.endsWith('.tgz')) return response.end(bytes);
			const { port } = server.address() as AddressInfo;
			const dist = {
				tarball: `http://127.0.0.1:${port}/${name}-${version}.tgz`,
				shasum: createHash('sha1').update(bytes).digest('hex'),
				integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
			};
			const found = decodeURIComponent(url ?? '') === `/${name}`;
			response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
			return response.end(
				found
					? JSON.stringify({
							name,
							'dist-tags': { latest: version },
							versions: { [version]: { ...manifest, dist } },
						})
					: '{}',
			);
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const programs = join(folder, 'programs');
		mkdirSync(programs, { recursive: true });
		const npm = join(programs, 'npm');
		writeFileSync(
			npm,
			[
				'#!/bin/sh',
				'for argument do',
				'	shift',
				'	case "$argument" in --registry=*) ;; *) set -- "$@" "$argument" ;; esac',
				'done',
				`unset HTTPS_PROXY; PATH="\${PATH#${programs}:}"`,
				// nothing of the machine's own npm counts
				`export npm_config_userconfig=${join(folder, 'npmrc')} npm_config_cache=${join(folder, 'npm-cache')}`,
				`exec npm "$@" --registry=http://127.0.0.1:${port}`,
				'',
			].join('\n'),
		);
		chmodSync(npm, 0o755);
		return new PackageSource(server, programs);
	}

	stop() {
		this.#server.close();
		this.#server.closeAllConnections();
	}
}
