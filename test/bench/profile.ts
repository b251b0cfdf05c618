import { writeFileSync } from 'node:fs';
import { until } from '../n8n/editor.ts';
import type { Instance } from '../n8n/instance.ts';

export interface ProfileSummary {
	/** Milliseconds in which the process was not idle. */
	busy: number;
	/** Self time of our functions, and of Node's and V8's own that they call, without garbage collection. */
	ownMicrosecondsPerItem: number;
	/** The garbage collector's, of which nobody can say whose it is. */
	garbageMicrosecondsPerItem: number;
	/** Where our share goes: our function that called, with its line in dist/. */
	ours: Entry[];
	/** Where everything goes, by the function itself. */
	all: Entry[];
}

interface Entry {
	function: string;
	microsecondsPerItem: number;
}

interface Profile {
	nodes: Array<{ id: number; callFrame: CallFrame; children?: number[] }>;
	samples: number[];
	timeDeltas: number[];
}

interface CallFrame {
	functionName: string;
	url: string;
	lineNumber: number;
}

/** Profiles n8n while `run` runs, and keeps the profile in `file` for the browser's developer tools. */
export async function profile(
	instance: Instance,
	file: string,
	perItem: number,
	run: () => Promise<unknown>,
): Promise<ProfileSummary> {
	const inspector = await openInspector(instance);
	try {
		await inspector.ask('Profiler.enable');
		await inspector.ask('Profiler.setSamplingInterval', { interval: 200 });
		await inspector.ask('Profiler.start');
		await run();
		const { profile } = await inspector.ask<{ profile: Profile }>('Profiler.stop');
		writeFileSync(file, JSON.stringify(profile));
		return summary(profile, perItem);
	} finally {
		inspector.close();
	}
}

/** MB of n8n's heap that are in use after a garbage collection. */
export async function usedHeap(instance: Instance): Promise<number> {
	const inspector = await openInspector(instance);
	try {
		await inspector.ask('HeapProfiler.collectGarbage');
		const { usedSize } = await inspector.ask<{ usedSize: number }>('Runtime.getHeapUsage');
		return usedSize / 1024 / 1024;
	} finally {
		inspector.close();
	}
}

/** Only now: an open inspector would be part of what is measured. */
async function openInspector(instance: Instance) {
	const address = () => instance.log().match(/Debugger listening on (ws:\S+)/)?.[1];
	if (!address() && instance.pid) process.kill(instance.pid, 'SIGUSR1');
	await until('the inspector listens', () => address() !== undefined, 10);
	const socket = new WebSocket(address() ?? '');
	await new Promise((resolve, reject) => {
		socket.onopen = resolve;
		socket.onerror = reject;
	});
	const waiting = new Map<number, (result: unknown) => void>();
	socket.onmessage = ({ data }) => {
		const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
		waiting.get(id)?.(result);
	};
	let last = 0;
	return {
		async ask<T>(method: string, params: object = {}): Promise<T> {
			const id = ++last;
			socket.send(JSON.stringify({ id, method, params }));
			return (await new Promise<unknown>((resolve) => waiting.set(id, resolve))) as T;
		},
		close: () => socket.close(),
	};
}

const packageFolder = '/n8n-nodes-agent-bridge/dist/';

function summary({ nodes, samples, timeDeltas }: Profile, perItem: number): ProfileSummary {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const parents = new Map(
		nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
	);
	const frame = (id: number) => byId.get(id)?.callFrame;
	/** Node's and V8's own functions work for whoever called them. */
	const onBehalfOf = (id: number): CallFrame | undefined => {
		for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
			const { url = '' } = frame(at) ?? {};
			if (url && !url.startsWith('node:')) return frame(at);
		}
		return undefined;
	};
	const [ours, all] = [new Map<string, number>(), new Map<string, number>()];
	let [busy, own, garbage] = [0, 0, 0];
	samples.forEach((id, index) => {
		const time = timeDeltas[index] ?? 0;
		const self = frame(id);
		if (!self || ['(idle)', '(program)', '(root)'].includes(self.functionName)) return;
		busy += time;
		add(all, named(self), time);
		if (self.functionName === '(garbage collector)') return void (garbage += time);
		const caller = onBehalfOf(id);
		if (!caller?.url.includes(packageFolder)) return;
		own += time;
		add(ours, self === caller ? named(caller) : `${named(caller)} > ${named(self)}`, time);
	});
	return {
		busy: busy / 1000,
		ownMicrosecondsPerItem: own / perItem,
		garbageMicrosecondsPerItem: garbage / perItem,
		ours: top(ours, perItem),
		all: top(all, perItem),
	};
}

const add = (map: Map<string, number>, key: string, time: number) =>
	map.set(key, (map.get(key) ?? 0) + time);

const named = ({ functionName, url, lineNumber }: CallFrame) =>
	`${functionName || '(anonymous)'}${url && ` ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`}`;

const top = (map: Map<string, number>, perItem: number): Entry[] =>
	[...map]
		.sort(([, one], [, other]) => other - one)
		.slice(0, 25)
		.map(([name, time]) => ({ function: name, microsecondsPerItem: time / perItem }));
