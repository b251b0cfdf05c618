/** Written by `npm run addresses`. */
const REPOSITORY = 'https://github.com/example/n8n-nodes-agent-bridge';

/** What an operator does about an error. @see docs/runbook.md */
export const RUNBOOK = `${REPOSITORY}/blob/main/docs/runbook.md`;
