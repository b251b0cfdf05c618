const ADDRESS = 'Check http:// or https:// and the port in the base URL.';
/** What the page says of all such messages. */
export const UNKNOWN = 'If the outcome is unknown, check the service first.';
const CORRECT_MODEL = 'Choose a model from the list, or correct its ID.';
/** What the page for the person on call says. */
export const SEE_RUNBOOK = 'See the [runbook](runbook.md).';

/** A hint beside an answer, which says the rest itself. */
export const HINT = 'You have the answer, and it is paid.';

/** What to do about a sentence that does not say it itself, by the sentence. */
export const NOTES: Readonly<Record<string, string>> = {
	'Too many processes write at once': HINT,
	'Of …, what has a label, or was combined, counts as a whole: its rows are by month': HINT,
	'The start of a job is not written yet': HINT,
	'What this node has spent is not written into the record of spending yet: … It is tried again for ten minutes. If that fails, too, the log of n8n says what is missing.':
		HINT,
	'The model refused its earlier answers in this chat, because what it gave beside them is no longer known, or no longer valid. It was told about them in words, and the refusal cost nothing':
		HINT,
	'There is no result: …': HINT,
	'Of the model list "…", these were passed over: …': HINT,
	'The prompt has about … tokens, more than its context window of …': HINT,
	'Too many processes use the budget at once':
		'Run it again. If it happens often, give the workflows separate credentials.',
	'The budget could not be updated (…). Reservations such as … stay until the period ends, or until somebody releases them.':
		'You have the answer, and it is paid. **Budget: Release** gives the reservation back once no request of it is under way.',
	'The … that the service reports for the media job … cannot be: …. It is not counted: the estimate is.':
		HINT,
	"The … that the service reports for the media job … cannot be: …. It is not counted: the catalog's minimum is.":
		HINT,
	'The budget does not count … for the media job …, because that is more than … times what it was estimated at. The estimate counts.':
		HINT,
	'The job … that execution … has paid for is gone at the service, so a new one is started.': HINT,
	'What was sent could not be recorded for later executions by hand: they start and pay for new jobs.':
		HINT,
	'A request cost …, more than the … that was reserved for it. The budget counts what it cost.':
		HINT,
	'The catalog could not be read (…), so its prices of … UTC count': HINT,
	'The answer stopped before its end':
		'The part that arrived is in `partial`. See [incomplete answers](texts-and-media.md#incomplete-answers).',
	'The execution was stopped':
		'The IDs are [in the log](items-and-errors.md#where-to-find-an-id-after-a-crash). Then decide whether to run it again.',
	'… contains a control character':
		'Remove line breaks and other invisible characters from the value.',
	'… contains an incomplete character, such as half of an emoji':
		'A text was probably cut in the middle of a character. Cut it somewhere else.',
	'This node needs n8n 2.22.6 or newer': 'Update n8n.',
	'The service sent a redirect (…), which is not followed':
		'The base URL may need https:// or another host.',
	'The service refused the API key (401)':
		'Copy the key again. Each workspace and each interface has its own key.',
	'The balance does not cover this request (402)': SEE_RUNBOOK,
	'The balance is empty (402)': SEE_RUNBOOK,
	'The cost cannot be calculated: …':
		'See [what a text may cost](money-and-safety.md#what-a-text-may-cost).',
	'The API key does not permit this request (403)':
		'Use a key with more rights, or ask the owner of the account.',
	'The service has no job with this ID (404)':
		'Check the ID, the media type, and the base URL of the credential.',
	'The service has nothing at this address or with this ID (404)':
		'Check the ID, the media type, and the base URL of the credential.',
	'The proxy between n8n and the service requires a password (407)':
		'Ask the person who runs your n8n for its password.',
	'The service is receiving too many requests (429)': SEE_RUNBOOK,
	'The balance or a limit is used up (…)': SEE_RUNBOOK,
	'The service answered with a status that HTTP does not define (…)':
		'It may be that of a guardrail, after the answer was made and charged. Check that before you send it again.',
	'A proxy in front of the service got no answer that it could use (…)': UNKNOWN,
	'The service reported an internal error (…)': UNKNOWN,
	'The service refused the request (…)':
		'Correct the fields that the service names below the message.',
	'The service answered in a form that cannot be read':
		"Check the base URL. If it is right, report the request ID to the service's support team.",
	'The service did not answer within the total timeout':
		'Raise **Total Timeout**, where the node has it.',
	'The service did not answer in time': 'Raise **Idle Timeout**, where the node has it.',
	'The service answered with something that is not HTTP': ADDRESS,
	'The connection to the service broke before it answered': UNKNOWN,
	'n8n does not allow requests to this address':
		'Check "Allowed HTTP Request Domains" in the credential, and what n8n blocks.',
	'The certificate of the service is not trusted':
		'Tell n8n about your own certificate authority (NODE_EXTRA_CA_CERTS).',
	'The service does not speak https at this address': ADDRESS,
	'The service could not be reached: nothing answers at this address':
		"Check the base URL. In Docker, 127.0.0.1 is n8n's own container: enter the name of the service's.",
	'The service could not be reached: its host name was not found':
		'Check the base URL, and the DNS settings of the machine.',
	'The service sent a redirect to an address that is not safe':
		"The file was not downloaded. Report this to the service's support team.",
	'The file is in more than … pieces': HINT,
	'The chat of this session could not be looked up, so a new chat was started. …': HINT,
	'The chat of this session could not be remembered: the next message starts a new chat. …': HINT,
	'The job ledger has more than … chats. To delete the least recently used ones, the n8n API key needs the scope dataTableRow:delete.':
		HINT,
	'No text was found in the answer; "events" contains what arrived.':
		"Look at `events`. Report the format of the answer to the service's support team.",
	'The service no longer continues the chat …, so a new chat was started.': HINT,
	'…: it is nested too deeply, or too large': 'Use a smaller schema.',
	'Too many processes reserve requests at once': 'Run the item again.',
	'The address where the service stores the file refused the request (…)':
		'Try **Download File** again with the job ID. The file may have expired.',
	'… could not be used: …': 'Check the n8n URL and the n8n API key in the credential.',
	'The new row is not visible yet': 'Run the item again.',
	'The catalog could not be read: …': 'Nothing was sent to a model.',
	'No text was found in the field "…". In an event with a name, the path begins inside of "data".':
		'Correct **Answer Field Path**. With **Include Raw Events**, you can see what the answer contains.',
	'… is not valid JSON': 'Correct the JSON at the place that the description names.',
	'The requests of this chat model cannot be guarded':
		'Use an older n8n, or a newer version of this package.',
	'The SDK for chat models is not compatible with this version of n8n':
		'If you installed an SDK beside this package, remove it. Otherwise, update n8n.',
	'The budget of … for … is reached': SEE_RUNBOOK,
	'This does not fit into what is left of the budget of … for …': SEE_RUNBOOK,
	'The credential lets workflows raise its budget by … in a period, … times at most':
		'Nothing was raised. Its owner can raise **Workflows May Raise By (USD)** or **Budget (USD)**.',
	'This request has already raised the budget':
		'Nothing was raised again. The error says which workflow raised it, and when.',
	'This request was refused by the budget of another credential':
		'Nothing was raised. Choose the credential of the node that was refused.',
	'This request was not refused in the current period of the budget':
		'Nothing was raised. Send the request again: the new period has its own budget.',
	'The budget of this credential is paused': SEE_RUNBOOK,
	'The service reported an error': "Ask the service's support team about its words.",
	'The catalog does not have the model …': CORRECT_MODEL,
	'The catalog does not have the model …. Did you mean …?': CORRECT_MODEL,
};
