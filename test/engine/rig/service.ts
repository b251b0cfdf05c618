import { startService, type Forms, type Service, type ServiceOptions } from '../../service/service';

/** For the tests of a file: the reference service, reset before each of them. @param forms In which it answers. */
export function serviceForTests(forms: Partial<Forms> = {}, options?: ServiceOptions): Service {
	const service = {} as Service;
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
