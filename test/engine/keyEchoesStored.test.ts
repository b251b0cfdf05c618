import { data } from '../service/answer';
import { everySpelling, spellingsIn, textsIn } from '../support/spellings';
import { agent, secretsOf, streamed } from './rig/calls';
import { converse } from './rig/converse';
import { ours } from './rig/flow';
import { logOfTests } from './rig/logged';
import { MINUTE, startLedgerRig } from './rig/ledger';
import { activated, executed } from './rig/poll';

// an echoed key where something is kept for later: the trigger, its ledger, a conversation; the ids of chats are in unit/n8n/memory
const rig = startLedgerRig();
let { service, n8n } = rig;
const logged = logOfTests();
let key = '';

beforeAll(() => {
	({ service, n8n } = rig);
	key = service.router.keys.main;
});

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** Puts the key into the records of jobs and the entries of models. */
const echo = () =>
	service.fault({
		match: { method: 'GET' },
		do: [
			{ type: 'headers', headers: { 'x-request-id': encodeURIComponent(key) } },
			{ type: 'replace', find: '"id":', with: `"note":"${escaped(everySpelling(key))}","id":` },
			{ type: 'replace', find: 'The model could not do this', with: escaped(everySpelling(key)) },
		],
	});

describe.each(['ledger', 'list'])('the trigger with a %s', (watch) => {
	const optionsFor = (ids: string[]) => {
		const list = { mediaType: 'images', jobIds: ids.join(',') };
		return rig.trigger({ watch, simplify: false, ...(watch === 'list' && list) });
	};
	const kept = (polled: ReturnType<typeof activated>) =>
		textsIn([n8n.rows, polled.staticData(), logged]);

	it('emits, hands on and keeps nothing of an echoed key', async () => {
		const ids = [await rig.started('a cat'), await rig.started('a dog [[fail]]')];
		echo();
		const options = optionsFor(ids);
		const trigger = activated(options);
		const { items, error } = await trigger.poll();
		expect([error, items?.length]).toEqual([undefined, 2]);
		const { run: done, items: out } = await executed({ ...options, items: items! });
		expect(out).toMatchObject([
			{ json: { job: { note: expect.stringContaining('***') } } },
			{ json: { failure: { reason: expect.stringContaining('***') } } },
		]);
		expect(spellingsIn([...textsIn([items, done]), ...kept(trigger)], key)).toEqual([]);
	});

	it.each([400, 404, 500])('says nothing of one in a refusal (%s)', async (status) => {
		const jobId = await rig.started('a cat');
		const options = optionsFor([jobId]);
		const trigger = activated(options);
		await trigger.poll();
		rig.pass(60 * MINUTE);
		const body = { error: { code: everySpelling(key), message: everySpelling(key) } };
		service.fault({ match: { path: '/jobs' }, do: { type: 'status', status, body } });
		const { items, error } = await trigger.poll();
		const { run: done } = await executed({
			...options,
			items: items ?? [{ json: { jobId, mediaType: 'images', event: 'mediaJobCompleted' } }],
		});
		const texts = textsIn([items, error, error?.message, error?.stack, done]);
		expect(spellingsIn([...texts, ...kept(trigger)], key)).toEqual([]);
	});
});

it('a conversation passes on no key that its speakers are told', async () => {
	const text = `It is ${everySpelling(service.agent.key())}`;
	service.fault({ do: streamed(data({ type: 'text', text }) + data('[DONE]')) });
	const speaker = ours('Speaker', 'workspaceAgentTool', agent({ message: '={{ $json.message }}' }));
	const live: string[] = [];
	const { run: done } = await converse({
		parameters: { turnLimit: 2 },
		speakers: { First: speaker, Second: speaker },
		secrets: secretsOf(service),
		onChunk: ({ content = '' }) => live.push(content),
	});
	expect(live.join('')).toContain('***');
	expect(spellingsIn([...textsIn([done, logged]), live.join('')], service.agent.key())).toEqual([]);
});
