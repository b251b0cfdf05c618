import type { INodeParameters } from 'n8n-workflow';

import {
	refusedUrl,
	startBadTls,
	startProxy407,
	startResetting,
	startSilent,
} from '../service/below';
import type { Fault } from '../service/service';
import { CARRY_ON, chat, job, models, PICTURE, posts, secretsOf } from './rig/calls';
import { run } from './rig/run';
import { serviceForTests } from './rig/service';

// below HTTP, and at its edges: what is told, what is sent again, what is never sent again
const service = serviceForTests();

/** Faults of every path include the catalog. */
const unpriced = { options: { allowUnknownCost: true } };
const post = async (baseUrl: string, settings: INodeParameters = {}) => {
	const { failed } = await run({
		...chat('x', { ...unpriced, ...settings }),
		secrets: { modelRouterApi: { baseUrl, apiKey: 'some-key-1234' } },
		settings: CARRY_ON,
	});
	return failed[0]?.json as { error: string; details: { outcome: string; reason: string } };
};

it('nothing listens: tried again, and certainly not started', async () => {
	const { error, details } = await post(await refusedUrl());
	expect(error).toContain('could not be reached');
	const reason = expect.stringContaining('Tried 4 times.');
	expect(details).toMatchObject({ outcome: 'not_started', reason });
});

it('TLS is reset before anything is sent: tried again, and certainly not started', async () => {
	const below = await startResetting();
	const { details } = await post(below.url);
	await below.stop();
	expect(details.outcome).toBe('not_started');
	// four attempts, and one to read the catalog before them
	expect([below.connections, below.requests]).toEqual([4 + 1, 0]);
});

it('no answer at all: given up after the idle timeout, outcome unknown, sent once', async () => {
	const below = await startSilent();
	const { error, details } = await post(below.url, { requestSettings: { idleTimeout: 1 } });
	await below.stop();
	expect(error).toContain('did not answer in time');
	expect(details.outcome).toBe('unknown');
	// and one to read the catalog before it
	expect(below.connections).toBe(1 + 1);
});

it('a certificate that is not trusted is not tried again', async () => {
	const below = await startBadTls();
	const { error, details } = await post(below.url);
	await below.stop();
	expect(error).toContain('certificate');
	expect(details.outcome).toBe('not_started');
	expect([below.connections, below.requests]).toEqual([1 + 1, 0]);
});

it('a proxy that wants a password is named', async () => {
	const proxy = await startProxy407();
	process.env['http_proxy'] = proxy.url;
	try {
		expect((await post('http://127.0.0.2:9')).error).toMatch(/proxy/i);
	} finally {
		delete process.env['http_proxy'];
		await proxy.stop();
	}
});

it.each(['duplicate_content_length', 'header_overflow', 'garbage', 'bad_header'] as const)(
	'malformed HTTP (%s): the outcome of a POST is unknown',
	async (kind) => {
		service.fault({ do: { type: 'malformed_http', kind } });
		expect((await post(service.url)).details.outcome).toBe('unknown');
		expect(posts(service)).toHaveLength(1);
	},
);

describe('reading', () => {
	const list = () => service.run(models('getModels', {}));
	/** Reads the file of a job once the service has the fault. @param idleTimeout Seconds. */
	const readFile = async (fault: Fault, times: number, idleTimeout: number) => {
		const secrets = secretsOf(service);
		service.forms.jobSteps = 0;
		const { items } = await run({ ...job('start', PICTURE), secrets });
		const ofJob = { mediaType: 'images', jobId: String(items[0]?.json['jobId']) };
		const before = service.requests.length;
		service.fault({ times, do: fault });
		const { error } = await run({
			...job('download', { ...ofJob, requestSettings: { idleTimeout } }),
			secrets,
		});
		return { error, sent: service.requests.length - before };
	};

	it('is tried again after silence', async () => {
		expect(await readFile({ type: 'timeout' }, 1, 3)).toEqual({ error: undefined, sent: 2 });
	});

	it.each<[string, Fault]>([
		['early hints', { type: 'early_hints' }],
		['trailers', { type: 'trailers' }],
	])('takes %s as it comes', async (_what, fault) => {
		service.fault({ do: fault });
		expect((await list()).items.length).toBeGreaterThan(5);
	});

	it.each<[string, Fault, RegExp]>([
		['JSON a million levels deep', { type: 'deep_json', depth: 1_000_000 }, /cannot be read/],
		['a body that is cut', { type: 'limit_data', bytes: 100 }, /stopped before its end/],
		['200 MB', { type: 'bomb', bytes: 200_000_000 }, /cannot be read/],
		['a gzip bomb', { type: 'bomb', bytes: 200_000_000, gzip: true }, /cannot be read/],
	])('%s is a clear error', async (_what, fault, message) => {
		service.fault({ do: fault });
		expect((await list()).error?.message).toMatch(message);
	});

	it('so is silence in mid-body', async () => {
		const { error } = await readFile({ type: 'timeout', bytes: 10 }, Infinity, 1);
		expect(error?.message).toMatch(/not downloaded completely/);
	});
});
