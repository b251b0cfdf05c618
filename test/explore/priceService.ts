import { ServiceError } from '../../src/core/errors';
import { isPlainObject, type JsonObject } from '../../src/core/json';
import { readOwnPrices } from '../../src/core/ownPrices';
import { SERVICES } from '../../src/router/services';
import { type Answer, events, json } from '../unit/inMemoryHttp';
import { LONG, type Price, type PriceForm, timed } from './priceForms';

/* A service that charges for what it has used, and says of that whatever services say. Amounts are 1/10,000,000,000 USD. */

/** What a request has used. Cached and written tokens are part of the prompt. */
interface Used {
	prompt: number;
	cached: number;
	written: number;
	output: number;
}

const costOf = ({ prompt, cached, written, output }: Used, price: Price) =>
	(prompt - cached - written) * price.input +
	cached * price.cached +
	written * price.written +
	output * price.output;

/** One entry of a model, or one of its providers. */
interface Offer {
	price: Price;
	/** Whether the catalog does not say what it costs. */
	isHidden: boolean;
}

/** What the models cost, from some time on. */
export type Offers = Record<'asked' | 'other', Offer[]>;

/** One request, and what became of it. */
export interface Asked {
	name: string;
	/** As they were in the catalog by which it was judged. */
	offers?: Offers;
	/** Micro-dollars that were reserved. */
	bound?: number;
	/** Undefined if the service did not carry it out. */
	used?: Used;
	charged: number;
	/** What of it is for output beyond the maximum that the request has. */
	beyond?: number;
	/** What the service says that it has charged, whether it has told the tokens, and whether it named the other model. */
	reported?: number;
	isTold?: boolean;
	isOther?: boolean;
	/** Whether all that it told is true and adds up to one cost. */
	isPlain?: boolean;
	/** Whether prices have changed in the meantime. */
	isChanged?: boolean;
	/** Whether the output says that it may cost more. Undefined if there is none. */
	isGuess?: boolean;
	/** Whether the service has refused it. */
	isRefused?: boolean;
	/** Micro-dollars. Undefined as long as it has not ended. */
	counted?: number;
}

/** Each price the lowest, or the dearest with what long prompts cost. */
function extreme(prices: readonly Price[], pick: typeof Math.max, isLong: boolean): Price {
	const of = (name: keyof Price) =>
		pick(...prices.map((price) => price[name] * (isLong ? price.long : 1)));
	return {
		input: of('input'),
		output: of('output'),
		cached: of('cached'),
		written: of('written'),
		long: 1,
	};
}
const dearest = (prices: readonly Price[]) => extreme(prices, Math.max, true);

/** @param random Numbers from 0 to less than 1. */
export function createService(form: PriceForm, random: () => number) {
	const upTo = (most: number) => 1 + Math.floor(random() * most);
	const isLikely = (chance: number) => random() < chance;
	const pick = <Item>(list: readonly Item[]) => list[Math.floor(random() * list.length)]!;
	const { service, hostname, has, most = 1, isAsked, report } = form;
	const mayCostMore = SERVICES.some(({ name, mayCostMore: why }) => name === service && why);

	/** Another provider may answer, but none that is dearer than the request allows. It may answer with more than the request allows. */
	const asksProviders = service === 'OpenRouter';

	/** The cache costs a quarter, and writing it a quarter more: all are whole numbers. */
	const createPrice = (around: number, output: number, long: number): Price => {
		const input = Math.ceil(around / 4) * 4;
		const cached = has.cached ? input / 4 : input;
		return { input, output: Math.ceil(output), cached, written: (input * 5) / 4, long };
	};
	const createOffers = (): Offer[] =>
		Array.from({ length: upTo(most) }, () => {
			const input = upTo(pick([100, 10_000, 50_000])) + 700;
			const price = createPrice(input, input * upTo(8), has.long ? upTo(2) : 1);
			return { price, isHidden: has.noPrices === true || isLikely(0.05) };
		});
	let offers: Offers = { asked: createOffers(), other: createOffers() };
	const first = dearest(offers.asked.map(({ price }) => price));

	const factor = pick([0, 0, 1, 1, 0.5, 2]) * (has.noPrices || isLikely(0.5) ? 1 : 0);
	const line = factor && {
		name: pick(['asked', 'asked', '*']),
		input: Math.max(10, Math.floor(first.input * factor)),
		output: Math.max(10, Math.floor(first.output * factor)),
	};
	const text = line && `${line.name} ${line.input / 1e4} ${line.output / 1e4}`;
	const isWithoutCatalog = has.noPrices === true && isLikely(0.3);
	/** Whether it writes what it likes into its cache. The lines of a credential do not know of that. */
	const writesAlone = has.written === true && !line && isLikely(0.5);

	/** The prices that the catalog has of a model; none where it does not have all that count. */
	const listed = (of: readonly Offer[]) => {
		const visible = of.filter(({ isHidden }) => !isHidden);
		return visible.length < of.length && !has.somePrices ? [] : visible.map(({ price }) => price);
	};
	/** By what a request is reckoned; none where nobody knows a price. */
	const known = ({ asked }: Offers): Price[] => {
		const prices = listed(asked);
		if (!line || (line.name === '*' && prices.length)) return prices;
		const { input, output } = line;
		return [{ input, output, cached: input, written: (input * 5) / 4, long: 1 }];
	};

	const use = (sent: JsonObject): Used => {
		const text = JSON.stringify(sent['messages']);
		const [bytes, limit] = [Buffer.byteLength(text), Number(sent['max_tokens'] ?? 100_000)];
		// sometimes all that it may
		const isFull = isLikely(0.3);
		const prompt = isFull ? bytes : upTo(bytes);
		const cached = has.cached && isLikely(0.3) ? Math.floor(random() * prompt) : 0;
		const mayWrite = text.includes('cache_control') || writesAlone;
		const rest = prompt - cached;
		const written = mayWrite && isLikely(0.5) ? (isFull ? rest : Math.floor(random() * rest)) : 0;
		return { prompt, cached, written, output: isFull ? limit : upTo(limit) };
	};

	/** What it says of its tokens. */
	const tell = (one: Asked, { prompt, cached, written, output }: Used, sent: JsonObject) => {
		const isAskedFor = JSON.stringify(sent['stream_options'])?.includes('"include_usage":true');
		const how = isAsked && !isAskedFor ? 'not' : pick(HOW);
		if (how === 'not') return {};
		if (how === 'zero') return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
		one.isTold = true;
		one.isPlain &&= how === 'plain';
		const beside = how === 'cache beside' ? cached + written : 0;
		const reasoning = how === 'reasoning beside' ? Math.floor(random() * output) : 0;
		return {
			prompt_tokens: prompt - beside,
			completion_tokens: output - reasoning,
			total_tokens: prompt + output,
			prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
			...(reasoning && { completion_tokens_details: { reasoning_tokens: reasoning } }),
			...(how === 'two figures' && { input_tokens: upTo(prompt), output_tokens: upTo(output) }),
		};
	};
	/** What it says of the cost. */
	const say = (one: Asked): ReturnType<NonNullable<PriceForm['report']>> => {
		const how = pick(REPORTS);
		if (!report || how === 'not') return {};
		const { charged } = one;
		if (how === 'low') one.reported = Math.floor(charged * random() * 0.45);
		else if (how === 'half') one.reported = Math.floor(charged * (0.5 + random() / 2));
		else if (how === 'absurd') one.reported = charged * upTo(100_000);
		else if (how === 'zero') one.reported = 0;
		else one.reported = charged;
		one.isPlain &&= one.reported === charged;
		if (how !== 'byok' || !asksProviders) return report(one.reported);
		const fee = Math.floor(charged / 20);
		const upstream = { upstream_inference_cost: (charged - fee) / 1e10 };
		return { usage: { cost: fee / 1e10, is_byok: true, cost_details: upstream } };
	};

	const isTooDear = (price: Price, { provider }: JsonObject) => {
		const { max_price: limit } = isPlainObject(provider) ? provider : {};
		if (!asksProviders || !isPlainObject(limit)) return false;
		const { prompt, completion } = limit;
		return price.input > Number(prompt) * 1e4 || price.output > Number(completion) * 1e4;
	};

	return {
		hostname: hostname ?? 'router.example',
		ownPrices: readOwnPrices(text || '', hostname ?? 'router.example'),
		/** Micro-dollars of a request that is not small. */
		usual: (300 * first.input + 200 * first.output) / 1e4,
		now: () => offers,
		changePrices() {
			const [by, out] = [pick(CHANGES), pick(CHANGES)];
			const change = (of: Offer[]) =>
				of.map(({ price: { input, output, long }, isHidden }) => ({
					price: createPrice(input * by, output * out, long),
					isHidden,
				}));
			offers = { asked: change(offers.asked), other: change(offers.other) };
		},
		catalogAt(path: string): Answer {
			if (isWithoutCatalog) return json({ error: { message: 'Not Found' } }, { status: 404 });
			const models = (['asked', 'other'] as const).map((id) => ({
				id,
				prices: offers[id].map(({ isHidden, price }) => (isHidden ? undefined : price)),
			}));
			const isList = path === form.priceList?.path;
			return json((isList ? form.priceList : form)?.toCatalog(models));
		},
		toBody() {
			const text = 'x'.repeat(upTo(500));
			const part = { type: 'text', text, cache_control: { type: 'ephemeral' } };
			const content = isLikely(0.2) ? [part] : text;
			const limit = isLikely(0.8) && { max_tokens: upTo(400) };
			return { messages: [{ role: 'user', content }], ...limit };
		},
		/** Carries a request out, or does not. */
		answer(one: Asked, sent: JsonObject): Answer | ServiceError {
			const [offer, other] = [pick(offers.asked), pick(offers.other)];
			const used = use(sent);
			const { input, output, long } = offer.price;
			const provider = createPrice(input * pick(CHANGES), output * pick(CHANGES), long);
			const isElsewhere = (mayCostMore || asksProviders) && isLikely(0.3);
			const elsewhere = asksProviders ? provider : pick([provider, other.price]);
			const usual = isElsewhere ? elsewhere : offer.price;
			const price = used.prompt > LONG ? timed(usual, usual.long) : usual;
			one.isRefused = isTooDear(price, sent) || isLikely(0.05);
			if (isTooDear(price, sent))
				return json({ error: { message: 'No endpoints found for asked.' } }, { status: 404 });
			if (one.isRefused) return json({ error: { message: 'Bad request' } }, { status: 400 });
			if (asksProviders && isLikely(0.1)) {
				const more = used.output * upTo(25);
				one.beyond = more * price.output;
				used.output += more;
			}
			one.used = used;
			one.charged = costOf(used, price);
			one.isChanged = offers !== one.offers;
			if (isLikely(0.05)) return new ServiceError('truncated', 'The connection broke');
			const isWhole = isLikely(0.9);
			one.isPlain = isWhole && !isElsewhere && !one.isChanged && !line;
			const usage = tell(one, used, sent);
			const { usage: cost, headers = {} } = say(one);
			// it comes at the end of the work, or not at all; token counts are an end, too
			if (!isWhole && !cost && !one.isTold) delete one.reported;
			const model = usual === other.price ? 'other' : pick(['asked', 'asked-2026-08-07', 'other']);
			one.isOther = model === 'other';
			// of several prices, only the service knows which one counts
			const isExact = one.reported !== undefined || (most === 1 && usual.long === 1);
			one.isPlain &&= isExact && !one.isOther && one.isTold === true;
			const pieces = [
				{ model, choices: [{ index: 0, delta: { content: 'An answer' } }] },
				{
					model,
					choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
					usage: { ...usage, ...cost },
				},
			];
			const lines = pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`);
			return events(lines.join('') + (isWhole ? 'data: [DONE]\n\n' : ''), { headers });
		},
		isKnown: (of: Offers) => known(of).length > 0,
		/** Whether a line of the credential is below what the catalog has. */
		isBelow({ asked }: Offers) {
			const prices = listed(asked);
			if (!line || line.name === '*' || !prices.length) return false;
			const { input, output, written } = dearest(prices);
			return line.input < (has.written ? written : input) || line.output < output;
		},
		/**
		 * What a request may cost at the prices by which it was reckoned, and the least that is to be counted: what the service reports, if
		 * that is not less than half of what the lowest prices give.
		 */
		judge({ offers: reckoned, used, charged, reported = 0, isTold, isOther }: Asked) {
			const prices = known(reckoned!);
			const most = costOf(used!, dearest(prices));
			const cheapest = Math.floor(costOf(used!, extreme(prices, Math.min, false)) / 1e4);
			const others = listed(reckoned!.other);
			const ofOther = isTold && isOther && others.length ? costOf(used!, dearest(others)) : 0;
			const whole = Math.ceil(reported / 1e4);
			const isTooLow = isTold && 2 * whole < cheapest && cheapest - whole > 1;
			const least = !reported || isTooLow ? Math.max(most, ofOther) : reported;
			return { most, least: Math.min(least, charged) };
		},
	};
}

const CHANGES = [0.25, 0.5, 1, 1, 1, 1.25, 1.5, 3];
const REPORTS = [
	'true',
	'true',
	'true',
	'not',
	'not',
	'low',
	'low',
	'half',
	'absurd',
	'zero',
	'byok',
];
const HOW = [
	'plain',
	'plain',
	'not',
	'zero',
	'cache beside',
	'reasoning beside',
	'two figures',
] as const;
