import { globSync, readFileSync } from 'node:fs';

interface Codex {
	node: string;
	categories: string[];
	subcategories?: Record<string, string[]>;
}

// n8n's node panel takes an AI node that is no root node for a part of another one, and its search does not find it
it.each(globSync('nodes/*/*.node.json'))('%s lets the node panel find the node', (file) => {
	const { node, categories, subcategories } = JSON.parse(readFileSync(file, 'utf8')) as Codex;
	expect(node).toMatch(/^n8n-nodes-agent-bridge\.\w+$/);
	expect(categories.includes('AI')).toBe(subcategories?.['AI']?.includes('Root Nodes') ?? false);
});
