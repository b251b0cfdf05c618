import { startService, type Forms, type Service, type ServiceOptions } from '../../service/service';
import { secretsOf, type Paying } from './calls';
import { useModel, type ModelOptions } from './chatModel';
import { run, type Outcome, type RunOptions } from './run';

/** The service, and what runs a node, or uses the chat model, with its credentials. */
export interface TestService extends Service {
	run(call: Paying, more?: Partial<RunOptions>): Promise<Outcome>;
	useModel(
		options: Omit<ModelOptions, 'secrets'> & Partial<ModelOptions>,
	): ReturnType<typeof useModel>;
}

/** For the tests of a file: the reference service, reset before each of them. @param forms In which it answers. */
export function serviceForTests(forms: Partial<Forms> = {}, options?: ServiceOptions): TestService {
	const service = {
		run: async (call, more) => await run({ ...call, secrets: secretsOf(service), ...more }),
		useModel: async (given) => await useModel({ secrets: secretsOf(service), ...given }),
	} as TestService;
	beforeAll(async () => {
		const started = await startService(options);
		Object.defineProperties(service, Object.getOwnPropertyDescriptors(started));
	});
	beforeEach(() => {
		service.reset();
		Object.assign(service.forms, forms);
	});
	afterAll(async () => await service.stop());
	return service;
}

let accounts = 0;

/** An account of the Model Router of which no test knows anything: what is read of an account is kept. */
export function secretsOfFreshAccount(service: Service) {
	const apiKey = `key-of-a-fresh-account-${++accounts}`;
	service.setBalance(100_000_000, apiKey);
	return { modelRouterApi: { baseUrl: service.url, apiKey } };
}
