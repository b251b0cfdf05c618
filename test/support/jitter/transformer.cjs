// @swc/jest, with a pause behind every `await` of the pack and of the reference service (see pauses.ts).
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const swc = require('@swc/jest');
const ts = require('typescript');

const root = path.join(__dirname, '..', '..', '..');
const PACED = ['src', 'nodes', 'test/service', 'test/engine/rig'];
const own = crypto.createHash('sha1').update(fs.readFileSync(__filename)).digest('hex');

/** @param {string} file */
const pathOf = (file) => path.relative(root, file).split(path.sep).join('/');

/** @param {string} file */
function isPaced(file) {
	const place = pathOf(file);
	return (
		PACED.some((folder) => place.startsWith(`${folder}/`)) &&
		place.endsWith('.ts') &&
		!place.endsWith('.test.ts')
	);
}

/**
 * Inserts text only, and no line: what a failure says of lines stays true.
 *
 * @param {string} text
 * @param {string} file
 */
function withPauses(text, file) {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	/** @type {Array<{ at: number, text: string, order: number }>} */
	const inserts = [];
	// of two texts at one place the one of the outer node comes first where both open, and last where both close
	/** @type {(node: ts.Node, before: string, after: string) => void} */
	const wrap = (node, before, after) => {
		inserts.push({ at: node.getStart(source), text: before, order: inserts.length });
		inserts.push({ at: node.getEnd(), text: after, order: -inserts.length });
	};
	/** @param {ts.Node} node */
	const pause = (node) => {
		const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
		// a busy machine is late with timers most of all
		const kind = /\bsleep\(/.test(node.getText(source)) ? 'timer ' : '';
		return `agentBridgePause('${kind}${pathOf(file)}:${line + 1}', `;
	};
	/** @param {ts.Node} node */
	const visit = (node) => {
		if (ts.isAwaitExpression(node)) wrap(node.expression, pause(node.expression), ')');
		if (ts.isForOfStatement(node) && node.awaitModifier)
			wrap(node.statement, `{ await ${pause(node.expression)}undefined); `, ' }');
		ts.forEachChild(node, visit);
	};
	visit(source);
	inserts.sort((one, other) => one.at - other.at || one.order - other.order);
	let [paced, from] = ['', 0];
	for (const insert of inserts) {
		paced += text.slice(from, insert.at) + insert.text;
		from = insert.at;
	}
	return paced + text.slice(from);
}

/**
 * As much of a transformer of jest as is used here.
 *
 * @typedef {{
 *   process(text: string, file: string, jest: { supportsStaticESM: boolean }): { code: string },
 *   processAsync(text: string, file: string, jest: object): Promise<{ code: string }>,
 *   getCacheKey(text: string, file: string, jest: object): string,
 * }} Transformer
 */

module.exports = {
	/**
	 * @param {import('@swc/core').Options} options
	 * @returns {Transformer}
	 */
	createTransformer(options) {
		const plain = /** @type {Transformer} */ (swc.createTransformer(options));
		/** @type {(text: string, file: string) => string} */
		const read = (text, file) => (isPaced(file) ? withPauses(text, file) : text);
		return {
			...plain,
			process: (text, file, jest) => plain.process(read(text, file), file, jest),
			processAsync: (text, file, jest) => plain.processAsync(read(text, file), file, jest),
			getCacheKey: (text, file, jest) => `${plain.getCacheKey(text, file, jest)}${own}`,
		};
	},
};
