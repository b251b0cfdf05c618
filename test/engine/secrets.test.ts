import { CARRY_ON, chat, secretsOf } from './rig/calls';
import { run } from './rig/run';
import { serviceForTests } from './rig/service';

// where a credential is read, and what of it is kept; where its keys go is in keyOrigins, what repeats them in keyEchoes
const service = serviceForTests();

it('nothing of a request is stored with a failure', async () => {
	service.fault({ do: { type: 'reset_peer' } });
	const { run: stored, error } = await service.run(chat('x'));
	expect(error).toBeDefined();
	const key = String(secretsOf(service)['modelRouterApi']?.['apiKey']);
	expect(JSON.stringify(stored)).not.toContain(key);
});

it('reads the credential once for each item and once without one, however many requests are sent', async () => {
	const items = [{ n: 'a' }, { n: 'b' }, { n: 'c' }];
	expect((await service.run(chat('={{ $json.n }}'), { items })).credentialsRead).toBe(4);
});

// all forms of addresses and keys are in unit/core/urls
it('says of every item what is wrong with the credential when the node carries on', async () => {
	const secrets = { modelRouterApi: { baseUrl: 'nonsense', apiKey: 'x' } };
	const items = [{ n: 1 }, { n: 2 }];
	const outcome = await run({ ...chat('x'), items, secrets, settings: CARRY_ON });
	expect(outcome.items).toEqual([]);
	const error = expect.stringContaining('base URL');
	expect(outcome.failed).toMatchObject(items.map(({ n }) => ({ json: { n, error } })));
});
