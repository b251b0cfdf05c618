import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { textOf, callLive, type Chunk } from '../n8n/liveCaller.ts';
import { OwnedProcess } from '../n8n/ownedProcess.ts';

const host = resolve('test/host-agents');

/** Servers of agent frameworks, in a process of their own: test/host-agents. */
export class FrameworkAgents extends OwnedProcess {
	#urls: Record<string, string> = {};

	static async start(): Promise<FrameworkAgents> {
		if (!existsSync(join(host, 'node_modules')))
			throw new Error(`there are no agents in ${host}: run "node scripts/install.mjs agents"`);
		const agents = new FrameworkAgents('Agents', mkdtempSync(join(tmpdir(), 'agents-')));
		const address = /The agents are at (\{.*\})/;
		await agents.launch({
			command: process.execPath,
			args: [join(host, 'main.mjs')],
			// nothing of the surroundings: with a key of LangSmith, LangGraph would send traces there
			env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'error' },
			isReady: () => address.test(agents.log()),
			seconds: 120,
		});
		agents.#urls = JSON.parse(address.exec(agents.log())?.[1] ?? '{}') as Record<string, string>;
		return agents;
	}

	/** The address of an agent, as a credential has it. */
	baseUrl(agent: string): string {
		return this.#urls[agent]!;
	}

	/**
	 * Calls a workflow that streams an agent's answer, and lets the agent say each word only when the one before has come: no clock is
	 * needed to see that it is live.
	 *
	 * @param onWord Is awaited before the agent may say the next one.
	 * @returns what the caller got, each time that a further word had come
	 */
	async listen(
		url: string,
		body: unknown,
		onWord?: (count: number) => Promise<void>,
	): Promise<{ chunks: Chunk[]; heard: string[] }> {
		const chunks: Chunk[] = [];
		const heard = [''];
		await this.#allowWord();
		for await (const chunk of callLive(url, body)) {
			chunks.push(chunk);
			const text = textOf(chunks);
			if (wordsIn(text) === wordsIn(heard.at(-1)!)) continue;
			heard.push(text);
			await onWord?.(wordsIn(text));
			await this.#allowWord();
		}
		return { chunks, heard: heard.slice(1) };
	}

	async stop() {
		await this.end('SIGTERM', 5_000);
		this.removeFolder();
	}

	/** Breaks the connections of all agents. */
	async cut() {
		await fetch(`${this.#urls['script']}/cut`, { method: 'POST' });
	}

	async #allowWord() {
		await fetch(`${this.#urls['script']}/allow`, { method: 'POST' });
	}
}

const wordsIn = (text: string) => text.match(/\S+/g)?.length ?? 0;
