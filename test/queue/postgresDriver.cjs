// n8n loads it first: test/host leaves the driver of n8n's PostgreSQL nodes out. Their memory only uses its pool, which is one of `pg`.
const paths = [`${__dirname}/../host/node_modules/n8n-nodes-base`];
const driver = require.resolve('pg-promise', { paths });
require(driver);
const { Pool } = require(require.resolve('pg', { paths }));
/** @param {object} settings */
const connect = (settings) => ({ $pool: new Pool(settings) });
const loaded = require.cache[driver];
if (loaded) loaded.exports = () => connect;
