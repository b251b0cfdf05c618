import type { Forms } from '../forms.ts';
import type { Entry } from './catalog.ts';

/** Fields that section 2C does not name, of all types, one by the name of a field elsewhere. */
const EXTRAS = {
	object: 'model',
	created: 1_767_225_600,
	status: 'available',
	deprecated: false,
	description: null,
	aliases: ['latest', 'stable'],
	capabilities: { tools: true, limits: { images: 16 } },
};

const PRICING_EXTRAS = { currency: 'USD', cache_write_per_mtok: 3.75, tiers: [{ above: 200_000 }] };

/** An entry as the catalog shows it now. */
export function servedEntry(entry: Entry, forms: Forms): Entry {
	const { input_modalities: modalities, ...served } = entry;
	if (modalities && forms.inputModalities === 'present') {
		Object.assign(served, { input_modalities: modalities });
	}
	if (forms.catalogExtras === 'absent') return served;
	return { ...served, pricing: { ...entry.pricing, ...PRICING_EXTRAS }, ...EXTRAS } as Entry;
}
