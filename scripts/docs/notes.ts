const CORRECT_MODEL = 'Choose a model from the list, or correct its ID.';
const SEE_RUNBOOK = 'The error says what is spent and reserved. See the [runbook](runbook.md).';

/** What to do about a sentence that does not say it itself, by the sentence. */
export const NOTES: Readonly<Record<string, string>> = {
	'Too many processes write at once':
		'You have the answer, and it is paid. What this node spent is written a little later.',
	'Of …, what has a label, or was combined, counts as a whole: its rows are by month':
		'For exact figures by label, choose whole months.',
	'The start of a job is not written yet':
		'You have the answer, and it is paid. What the job has cost is written after its start.',
	'What this node has spent is not written into the record of spending yet: … It is tried again for ten minutes. If that fails, too, the log of n8n says what is missing.':
		'You have the answer, and it is paid. A budget counts it.',
	'The model refused its earlier answers in this chat, because what it gave beside them is no longer known, or no longer valid. It was told about them in words, and the refusal cost nothing':
		'You have the answer. If it lacks something, ask in a new chat.',
	'There is no result: …':
		'The conversation is in the output, and the rest of the sentence says why. See [a result as fields](conversations.md#a-result-as-fields).',
	'Of the model list "…", these were passed over: …':
		'You have the answer. Correct the list in the credential, if a model is gone for good.',
	'The prompt has about … tokens, more than its context window of …':
		'Another model of the list is asked. Put one with a larger context window into it.',
	'Too many processes use the budget at once':
		'Nothing was sent. Run it again. If it happens often, give the workflows separate credentials.',
	'The budget could not be updated (…). Reservations such as … stay until the period ends, or until somebody releases them.':
		'You have the answer, and it is paid. **Budget: Release** gives the reservation back once no request of it is under way.',
	'The … that the service reports for the media job … cannot be: …. It is not counted: the estimate is.':
		'You have the job. Ask the service what it has really cost.',
	"The … that the service reports for the media job … cannot be: …. It is not counted: the catalog's minimum is.":
		'The job runs. Ask the service what it costs before you start more of them.',
	'The budget does not count … for the media job …, because that is more than … times what it was estimated at. The estimate counts.':
		'You have the job. Ask the service what it has really cost.',
	'A request cost …, more than the … that it could cost at the prices of the catalog. The budget counts what it cost.':
		"The price changed, or the service exceeded Maximum Output Tokens. Check the model's price in the catalog.",
	'The catalog could not be read (…), so its prices of … UTC count':
		'You have the answer. Prices of up to an hour ago count. After that, what has a cap is not sent until the catalog can be read.',
	'The answer stopped before its end':
		'The part that arrived is in `partial`, and may be charged. To get it as an output, choose **On Incomplete Answer: Return Partial Answer**.',
	'The execution was stopped':
		"A person or n8n stopped it. Look for the ID of the job, chat or session in n8n's log or the execution's custom data. Then decide whether to run it again.",
	'… contains a control character':
		'Remove line breaks and other invisible characters from the value.',
	'… contains an incomplete character, such as half of an emoji':
		'A text was probably cut in the middle of a character. Cut it somewhere else.',
	'This node needs n8n 2.22.6 or newer': 'Update n8n.',
	'The service sent a redirect (…), which is not followed':
		'A redirect could send your key to another server. Check the base URL: it may need https:// or another host.',
	'The service refused the API key (401)':
		'Copy the key again. Each workspace and each interface has its own key.',
	'The balance does not cover this request (402)':
		'Top up the account at the service, or lower Maximum Output Tokens. To wait helps only if other requests hold money.',
	'The balance is empty (402)': 'Nothing was started. Top up the account at the service.',
	'The cost cannot be calculated: …':
		'The description says what to do first. **Allow Unknown Cost** in Options is the last way: no spending cap then limits what it costs.',
	'The API key does not permit this request (403)':
		'Use a key with more rights, or ask the owner of the account.',
	'The service has no job with this ID (404)':
		'Check the job ID, the media type of the job, and the base URL of the credential.',
	'The service has nothing at this address or with this ID (404)':
		'Check the ID in the node, the media type, and the base URL of the credential.',
	'The proxy between n8n and the service requires a password (407)':
		'Ask the person who runs your n8n to set the password for its proxy.',
	'The service is receiving too many requests (429)':
		'Nothing was started. Raise **Wait When Rate-Limited**, or lower **Max Items at Once**.',
	'The balance or a limit is used up (…)':
		"Top up, or raise the limit of the account, the key or the model, at the service or at the model's vendor. Waiting does not help.",
	'The service answered with a status that HTTP does not define (…)':
		'The answer may have been made and charged, for example if a guardrail of a gateway keeps it back. Check that before you send it again.',
	'A proxy in front of the service got no answer that it could use (…)':
		'The request may have been carried out, and may be charged. Check that before you send it again.',
	'The service reported an internal error (…)':
		'Try again later. If the outcome is unknown, check the service first.',
	'The service refused the request (…)':
		'Read what the service says below the message, and correct the fields that it names.',
	'The service answered in a form that cannot be read':
		"Check the base URL. If it is right, report the request ID to the service's support team.",
	'The service did not answer within the total timeout':
		'Raise **Total Timeout** in Request Settings. If the outcome is unknown, check the service first.',
	'The service did not answer in time':
		'Raise **Idle Timeout** in Request Settings. If the outcome is unknown, check the service first.',
	'The service answered with something that is not HTTP':
		'Check http:// or https:// and the port in the base URL of the credential.',
	'The connection to the service broke before it answered':
		'If the outcome is unknown, check the service before you send it again.',
	'n8n does not allow requests to this address':
		'Check "Allowed HTTP Request Domains" in the credential, and the settings in your n8n that block addresses.',
	'The certificate of the service is not trusted':
		'Check the base URL. If you use your own certificate authority, tell n8n about it (NODE_EXTRA_CA_CERTS).',
	'The service does not speak https at this address':
		'Check http:// or https:// and the port in the base URL of the credential.',
	'The service could not be reached: nothing answers at this address':
		"Check the base URL. In Docker, 127.0.0.1 is n8n's own container: use the name of the service instead.",
	'The service could not be reached: its host name was not found':
		'Check the base URL, and the DNS settings of the machine that runs n8n.',
	'The service sent a redirect to an address that is not safe':
		"The file was not downloaded. Report this to the service's support team.",
	'The file is in more than … pieces':
		'The text of the answer is not affected. The file stays in the JSON, as Base64.',
	'The chat of this session could not be looked up, so a new chat was started. …':
		'The job ledger could not be reached. The rest of the sentence says why.',
	'The chat of this session could not be remembered: the next message starts a new chat. …':
		'The job ledger could not be reached. The rest of the sentence says why.',
	'The job ledger has more than … chats. To delete the least recently used ones, the n8n API key needs the scope dataTableRow:delete.':
		'Add the scope to the n8n API key, or delete rows of old chats in the Data Table.',
	'No text was found in the answer; "events" contains what arrived.':
		"Look at `events`. Report the format of the answer to the service's support team.",
	'The service no longer continues the chat …, so a new chat was started.':
		'There is nothing to do. The new chat does not know what was said before.',
	'…: it is nested too deeply, or too large': 'Use a smaller schema.',
	'Too many processes reserve requests at once': 'Run the item again.',
	'The address where the service stores the file refused the request (…)':
		'Try **Download File** again with the job ID. The file may have expired.',
	'… could not be used: …':
		'The message begins with "The job ledger" or "The record of spending", and the rest says why. Check the n8n URL and the n8n API key in the credential.',
	'The new row is not visible yet': 'Run the item again.',
	'The catalog could not be read: …':
		'Nothing was sent to a model. The description says whether to check the base URL of the credential, or to run it again later.',
	'No text was found in the field "…". In an event with a name, the path begins inside of "data".':
		'Correct **Answer Field Path**. With **Include Raw Events**, you can see what the answer contains.',
	'… is not valid JSON': 'Correct the JSON at the place that the description names.',
	'The requests of this chat model cannot be guarded':
		'Use an older n8n, or a newer version of this package.',
	'The SDK for chat models is not compatible with this version of n8n':
		'If you installed an SDK beside this package, remove it. Otherwise, update n8n.',
	'The budget of … for … is reached': SEE_RUNBOOK,
	'This does not fit into what is left of the budget of … for …': SEE_RUNBOOK,
	'The budget of this credential is paused':
		'The error says who paused it, when and why. See the [runbook](runbook.md).',
	'The service reported an error':
		"The title has its words. Read them, and ask the service's support team if they do not help.",
	'The catalog does not have the model …': CORRECT_MODEL,
	'The catalog does not have the model …. Did you mean …?': CORRECT_MODEL,
};
