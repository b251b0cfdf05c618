import { SERVICES, type ModelService } from '../../src/router/services';
import { anchored, renderTable } from './table';

const HEAD = `# Model services

The Model Router nodes work with their own service, and with these. No test asks these services themselves: stand-ins answer as their pages and recordings say. Portkey's gateway was run.

- **Base URL**: the host alone is enough, except for Cloudflare, whose address has parts of your own. An address as its documentation has it is fine, too. Leave out a query, such as **api-version** of Azure.
- **Key In**: leave it at _Automatic_ for a host in this table. With YOUR-HOST, choose what the column **Key** says. Elsewhere, choose the header that the documentation names.
- **Prices**: where the catalog of a service has no prices, enter a line for each model that you use. Caps and budgets need them. For one that draws or speaks, enter what its pictures or sound cost.
- **Media** need the job endpoints of the specification.
- **A prompt** counts 1,500 tokens more in caps and budgets, for the template of a model.
- **A cap is a guess** where a service may charge more than its price says. The output then has \`maxCostIsGuess\`, and so has **Estimate Cost**. Outside of this table, a cap is a guess unless the catalog has the form of the specification. So is a line of yours where the catalog of the service has a dearer price, or prices, but none for that model.
- **Variants**: with OpenRouter, a model ID may end with \`:nitro\`, \`:floor\` or \`:exacto\`. Any other variant that its catalog does not list, such as \`:online\`, has no cost that is known before. Web search and reading PDFs by the page are off for a request whose cost is known before, whatever your account has set.

Any other service with \`/chat/completions\` that streams its answers is used so, too: choose **Key In**, and enter **Prices** that its catalog lacks.
`;

const COLUMNS = ['Service', 'Base URL', 'Key', 'Prices', 'How sure a cap is'];

/** The page about services of models, made from their table. */
export const renderModelServices = (): string =>
	`${HEAD}\n${renderTable(COLUMNS, SERVICES.map(toRow))}\n`;

function toRow({ name, hosts, root, key, prices, hasNoCatalog, mayCostMore }: ModelService) {
	const host = hosts?.[0]?.replace('*', 'YOUR-NAME') ?? 'YOUR-HOST';
	const address = `\`http${hosts ? 's' : ''}://${host}${root}\``;
	const place = key ? (key.prefix?.trim() ?? `\`${key.header}\``) : 'none';
	const source = prices
		? 'its catalog'
		: hasNoCatalog
			? 'your lines, which also name its models'
			: 'your lines';
	const doubt = mayCostMore ?? (hosts ? undefined : 'You say what it costs.');
	return [anchored(name), address, place, source, doubt ? `a guess. ${doubt}` : 'sure'];
}
