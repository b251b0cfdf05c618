// pages of rows, and a filter by a part of a text: what the record of spending needs of n8n's public API
import '../n8n/spending.test.ts';
