import { data } from '../service/answer';
import { nameOf, recordings } from '../unit/agent/recordings';
import { agent, failPosts, response, streamed, type Paying } from './rig/calls';
import { collect, type LanguageModel, type ModelMessage } from './rig/chatModel';
import { serviceForTests } from './rig/service';

// what tools do that the service runs itself is no text: which events are none is in unit/router/responses and unit/agent
const service = serviceForTests();
const { body } = recordings.find((each) => nameOf(each) === 'Responses read built-in tools')!;
beforeEach(() => failPosts(service, streamed(body)));

const execute = async (call: Paying) => (await service.run(call)).items[0]?.json['output'];
const chat = async (use: (model: LanguageModel) => Promise<ModelMessage[]>) => {
	const { given } = await service.useModel({
		parameters: { options: { protocol: 'responses' } },
		use: async (model) => (await use(model)).map(({ content }) => content).join(''),
	});
	return given.join();
};

it.each([
	['Message a Model', async () => await execute(response('hi'))],
	['Remote Agent', async () => await execute(agent({ message: 'hi' }))],
	['the chat model', async () => await chat(async (model) => [await model.invoke('hi')])],
	['its stream', async () => await chat(async (model) => await collect(model.stream('hi')))],
])('%s gives the text of the answer only', async (_node, ask) => {
	expect(await ask()).toBe('Hello world');
});

it('an agent that has only run tools says where to look for a text', async () => {
	service.reset();
	const event = { type: 'response.completed', response: { output: [{ type: 'shell_call' }] } };
	failPosts(service, streamed(data(event)));
	const { items } = await service.run(agent({ message: 'hi' }));
	const notice = expect.stringMatching(/^No text was found in the answer; "events" contains/);
	expect(items).toMatchObject([{ json: { output: '', notice } }]);
});
