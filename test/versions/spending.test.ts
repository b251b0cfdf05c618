import { spendingCases } from '../n8n/spendingCases';
import { describeWorking } from './tested';

// pages of rows, and a filter by a part of a text: what the record needs of n8n's public API
describeWorking('Job ledger: record of spending', spendingCases);
