import { createRequire } from 'node:module';

import { Container } from './container';

const { Logger } = createRequire(require.resolve('n8n-core'))(
	'@n8n/backend-common',
) as typeof import('@n8n/backend-common');

/** For the tests of a file: all that n8n has logged in the test that runs. */
export function logOfTests(): unknown[] {
	const logged: unknown[] = [];
	beforeAll(() => {
		for (const level of ['error', 'warn', 'info', 'debug'] as const)
			jest
				.spyOn(Container.get(Logger), level)
				.mockImplementation((...said) => void logged.push(said));
	});
	beforeEach(() => void (logged.length = 0));
	afterAll(() => jest.restoreAllMocks());
	return logged;
}
