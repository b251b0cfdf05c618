import { requireMediaJobs } from '../../../nodes/ModelRouter/media/media.params';
import { keyPlaceOf } from '../../../src/router/services';
import { thrownBy } from '../inMemoryHttp';

const BEARER = { header: 'Authorization', prefix: 'Bearer ' };
const SPECIFIED = { header: 'X-API-Key' };

it.each<[string, object, unknown]>([
	['of a host that is not known', { baseUrl: 'https://router.example.com' }, SPECIFIED],
	['of OpenRouter', { baseUrl: 'https://openrouter.ai/api/v1' }, BEARER],
	['of Azure', { baseUrl: ' https://a.openai.azure.com ' }, { header: 'api-key' }],
	['of Portkey', { baseUrl: 'https://api.portkey.ai' }, { header: 'x-portkey-api-key' }],
	['of a look-alike', { baseUrl: 'https://openrouter.ai.evil.example' }, SPECIFIED],
	['of no address', { baseUrl: 'nothing' }, SPECIFIED],
	['that was chosen', { baseUrl: 'https://openrouter.ai', keyIn: 'xApiKey' }, SPECIFIED],
	['that was chosen for any host', { baseUrl: 'http://litellm:4000', keyIn: 'bearer' }, BEARER],
	['that is none', { baseUrl: 'https://openrouter.ai', keyIn: 'none' }, undefined],
	['that is no choice', { baseUrl: 'https://a.example', keyIn: '__proto__' }, SPECIFIED],
])('the place of a key %s', (_what, data, place) => {
	expect(keyPlaceOf({ keyIn: 'automatic', ...data })).toEqual(place);
});

it("Anthropic's list takes the key in another header than its chats", () => {
	const data = { baseUrl: 'https://api.anthropic.com', keyIn: 'automatic' };
	expect(keyPlaceOf(data, '/v1/chat/completions')).toEqual(BEARER);
	expect(keyPlaceOf(data, '/v1/models')).toEqual({
		header: 'x-api-key',
		headers: { 'anthropic-version': '2023-06-01' },
	});
});

it('a service that is known by its host has no media jobs', () => {
	const { message, details } = thrownBy(() => requireMediaJobs('https://api.openai.com/v1'));
	expect(message).toBe('OpenAI has no media jobs');
	expect(details.advice).toMatch(/^Nothing was sent\./);
	expect(() => requireMediaJobs('https://router.example.com/v1')).not.toThrow();
});
