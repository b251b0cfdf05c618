import { askRouter, MODEL, OMNI, user } from './routerProbe.ts';
import { findModel } from './router/catalog.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const text = { type: 'text', text: 'look' };
const part = (type: string) => ({ type, [type]: { url: 'data:;base64,AA==' } });
const chat = (types: string[], model = OMNI) =>
	askRouter(service).chat({ model, messages: user([text, ...types.map(part)]) });
const respond = (types: string[], model = OMNI) =>
	askRouter(service).respond({ model, input: user([text, ...types.map(part)]) });

describe('C: an answer says what it was shown (4C)', () => {
	it.each([
		[['image_url'], ' I was shown 1 image(s).'],
		[['input_image', 'image_url'], ' I was shown 2 image(s).'],
		[['input_audio'], ' I was shown 1 audio.'],
		[['audio_url', 'input_audio'], ' I was shown 2 audio.'],
		[['video_url'], ' I was shown 1 video.'],
		[['file'], ' I was shown 1 file(s).'],
		[
			['file', 'input_audio', 'input_file', 'image_url'],
			' I was shown 1 image(s), 1 audio, 2 file(s).',
		],
		[['video_url', 'audio_url'], ' I was shown 1 audio, 1 video.'],
		[['text', 'constructor', 'refusal'], ''],
	])('%j', async (types, shown) => {
		const { choices } = (await chat(types)).data;
		expect(choices[0].message.content).toBe(`You said: "look".${shown}`);
		const { output } = (await respond(types)).data;
		expect(output[0].content[0].text).toBe(`You said: "look".${shown}`);
	});

	it('counts what came with the last message of the user', async () => {
		const messages = [...user([text, part('image_url')]), ...user([text, part('file')])];
		const { data } = await askRouter(service).chat({ model: OMNI, messages });
		expect(data.choices[0].message.content).toMatch(/I was shown 1 file\(s\)\.$/);
	});
});

describe('C: a modality that the entry does not list (2C, 7C)', () => {
	it.each([
		['image_url', 'image'],
		['input_audio', 'audio'],
		['audio_url', 'audio'],
		['video_url', 'video'],
		['file', 'file'],
		['input_file', 'file'],
	])('%s is refused before anything is charged, the message names %s', async (type, modality) => {
		const account = service.world.accounts.get(service.router.keys.main);
		const before = account?.balance;
		for (const { status, data } of [await chat([type], MODEL), await respond([type], MODEL)]) {
			expect([status, data.error.code]).toEqual([400, 'invalid_request']);
			expect(data.error.message).toMatch(`${MODEL} takes no ${modality} input`);
		}
		expect(account).toMatchObject({ balance: before, held: 0 });
	});

	it('in an earlier message too, which is named', async () => {
		const messages = [...user([part('video_url')]), ...user('hi')];
		const { status, data } = await askRouter(service).chat({
			model: 'Aurora-Labs/Prism-4.1-Turbo',
			messages,
		});
		expect([status, data.error.message]).toEqual([
			400,
			'messages[0].content: Aurora-Labs/Prism-4.1-Turbo takes no video input',
		]);
	});

	it('of several the first is named, those that are listed pass', async () => {
		const { data } = await chat(
			['file', 'video_url', 'input_audio'],
			'Aurora-Labs/Prism-4.1-Turbo',
		);
		expect(data.error.message).toMatch('takes no audio input');
		expect((await chat(['file', 'image_url'], 'Aurora-Labs/Prism-4.1-Turbo')).status).toBe(200);
	});

	it('an entry that lists nothing takes everything', async () => {
		const entry = findModel('tiny/no-price-1')?.entry;
		expect(entry?.input_modalities).toBeUndefined();
		expect((await chat(['video_url', 'file'], 'tiny/no-price-1')).status).toBe(200);
	});
});
