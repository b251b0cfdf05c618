// Writes a run's counts to $AGENT_BRIDGE_COUNTS. jest's own --json fails when an error of a test holds a circle.
const fs = require('node:fs');

module.exports = class CountingReporter {
	/**
	 * @param {Set<import('@jest/reporters').TestContext>} _contexts
	 * @param {import('@jest/reporters').AggregatedResult} results
	 */
	onRunComplete(_contexts, results) {
		const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = results;
		fs.writeFileSync(
			process.env.AGENT_BRIDGE_COUNTS ?? '',
			JSON.stringify({
				passed: numPassedTests,
				failed: numFailedTests + numRuntimeErrorTestSuites,
				groups: countGroups(testResults.flatMap((file) => file.testResults)),
			}),
		);
	}
};

/**
 * Counts by the outermost `describe`.
 *
 * @param {import('@jest/reporters').TestResult['testResults']} tests
 */
function countGroups(tests) {
	/** @type {Record<string, { passed: number, failed: number }>} */
	const groups = {};
	for (const { ancestorTitles, status } of tests) {
		const group = (groups[ancestorTitles[0] ?? ''] ??= { passed: 0, failed: 0 });
		if (status === 'passed' || status === 'failed') group[status]++;
	}
	return groups;
}
