import { formOf } from '../router/catalogPrices';
import { serviceOf } from '../router/services';
import type { FoundModel } from './catalog';

/**
 * Whether an answer may cost more than the most that was calculated for its request, because nobody vouches for the price.
 *
 * At a host that is known, its row says whether it keeps to its prices. If its catalog has prices, a line of the credential is a guess unless
 * the catalog confirms it: a model that has none there may be paid by the request. At another host, only a catalog in the form of the
 * specification is sure: other forms are copied by services that charge what they like, and a line is what its author believes.
 *
 * @param hostname Of the service.
 */
export function isGuess(found: FoundModel, hostname = ''): boolean {
	if (!('entry' in found)) return false;
	const { entry, priceSource, isConfirmed, priceNotice } = found;
	const service = serviceOf(hostname);
	if (!service) return priceSource !== undefined || formOf(entry) !== undefined;
	const isUnconfirmed = priceSource !== undefined && !isConfirmed;
	const isDoubtful = service.prices ? isUnconfirmed : priceNotice !== undefined;
	return isDoubtful || service.mayCostMore !== undefined;
}
