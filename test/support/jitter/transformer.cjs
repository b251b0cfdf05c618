// @swc/jest, with a pause behind every `await` of the pack and of the reference service (see pauses.ts).
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join, relative, sep } = require('node:path');
const swc = require('@swc/jest');
const ts = require('typescript');

const root = join(__dirname, '..', '..', '..');
const PACED = ['src', 'nodes', 'test/service', 'test/engine/rig'];
const own = createHash('sha1').update(readFileSync(__filename)).digest('hex');

const pathOf = (file) => relative(root, file).split(sep).join('/');

function isPaced(file) {
	const path = pathOf(file);
	return (
		PACED.some((folder) => path.startsWith(`${folder}/`)) &&
		path.endsWith('.ts') &&
		!path.endsWith('.test.ts')
	);
}

/** Inserts text only, and no line: what a failure says of lines stays true. */
function withPauses(text, file) {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const inserts = [];
	// of two texts at one place the one of the outer node comes first where both open, and last where both close
	const wrap = (node, before, after) => {
		inserts.push({ at: node.getStart(source), text: before, order: inserts.length });
		inserts.push({ at: node.getEnd(), text: after, order: -inserts.length });
	};
	const pause = (node) => {
		const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
		// a busy machine is late with timers most of all
		const kind = /\bsleep\(/.test(node.getText(source)) ? 'timer ' : '';
		return `agentBridgePause('${kind}${pathOf(file)}:${line + 1}', `;
	};
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

module.exports = {
	createTransformer(options) {
		const plain = swc.createTransformer(options);
		const read = (text, file) => (isPaced(file) ? withPauses(text, file) : text);
		return {
			...plain,
			process: (text, file, jest) => plain.process(read(text, file), file, jest),
			processAsync: (text, file, jest) => plain.processAsync(read(text, file), file, jest),
			getCacheKey: (text, file, ...jest) => `${plain.getCacheKey(text, file, ...jest)}${own}`,
		};
	},
};
