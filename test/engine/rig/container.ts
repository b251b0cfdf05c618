import { createRequire } from 'node:module';

/** The very container that n8n-core uses, whatever copy npm has hoisted. */
export const { Container } = createRequire(require.resolve('n8n-core'))(
	'@n8n/di',
) as typeof import('@n8n/di');
