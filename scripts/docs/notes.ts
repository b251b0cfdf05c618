/** What to do about a sentence that does not say it itself, by the sentence. */
export const NOTES: Readonly<Record<string, string>> = {
	'Too many processes write at once':
		'The answer is there, and paid. The record of spending lacks what this node has spent.',
	'What this node has spent could not be written into the record of spending: …':
		'The answer is there, and paid. Read the rest of the sentence: it says why. A budget still counts it.',
	'Too many processes use the budget at once':
		'Nothing was sent. Run it again. If it happens often, give the workflows credentials of their own.',
	'The budget could not be updated (…). Its part … stays reserved until the period ends, or until somebody releases it.':
		'The answer is there, and paid. **Budget: Release** gives the part back once nothing of it is under way.',
	'A request cost …, more than the … that it could cost at the prices of the catalog. The budget counts what it cost.':
		'The price changed, or the service does not keep to Maximum Output Tokens. Check the price of the model in the catalog.',
	'The answer stopped before its end':
		'What arrived is in `partial`, and may be charged. To get it as an output, choose **On Incomplete Answer: Return Partial Answer**.',
	'The execution was stopped':
		'Somebody stopped it, or n8n did. Look for the ID of the job, chat or session in the log of n8n or the custom data of the execution. Then decide whether to run it again.',
	'The … must not contain a user name or password':
		'Remove it from the address, and enter the key in the field of the key.',
	'The … must not contain "?" or "#"': 'Remove it and everything after it.',
	'… is empty': 'Enter a value in this field.',
	'… is longer than … characters': 'Shorten it.',
	'… contains a control character':
		'Remove line breaks and other invisible characters from the value.',
	'… contains an incomplete character, such as half of an emoji':
		'A text was probably cut in the middle of a character. Cut it at another place.',
	'This node needs n8n 2.7 or newer': 'Update n8n.',
	'The service sent a redirect (…), which is not followed':
		'A redirect could send your key to another server. Check the base URL: it may have to begin with https://, or have another host.',
	'The service refused the API key (401)':
		'Copy the key again. Each workspace and each interface has its own key.',
	'The balance does not cover this request (402)':
		'Top up, wait for running requests to end, or lower Maximum Output Tokens.',
	'The API key does not permit this request (403)':
		'Use a key with more rights, or ask the owner of the account.',
	'The service has nothing at this address or with this ID (404)':
		'Check the ID in the node, the media type, and the base URL of the credential.',
	'The proxy between n8n and the service requires a password (407)':
		'Ask the person who runs your n8n to set the password of its proxy.',
	'The service is receiving too many requests (429)':
		'Nothing was started. Raise **Wait When Rate-Limited**, or lower **Max Items at Once**.',
	'The service reported an internal error (…)':
		'Try again later. If the outcome is unknown, check at the service first.',
	'The service refused the request (…)':
		'Read what the service says below the sentence, and correct the fields that it names.',
	'The service answered in a form that cannot be read':
		'Check the base URL. If it is right, report the request ID to the support of the service.',
	'…: the file in "…" is empty': 'Check the node before this one: it gave a file without content.',
	'The service did not answer within the total timeout':
		'Raise **Total Timeout** in Request Settings. If the outcome is unknown, check at the service first.',
	'The service did not answer in time':
		'Raise **Idle Timeout** in Request Settings. If the outcome is unknown, check at the service first.',
	'The service answered with something that is not HTTP':
		'Check http:// or https:// and the port in the base URL of the credential.',
	'The connection to the service broke before it answered':
		'If the outcome is unknown, check at the service before you send it again.',
	'n8n does not allow requests to this address':
		'Check "Allowed HTTP Request Domains" of the credential, and the settings of your n8n that block addresses.',
	'The certificate of the service is not trusted':
		'Check the base URL. If the certificate is from a private authority, add that to NODE_EXTRA_CA_CERTS of n8n.',
	'The service does not speak https at this address':
		'Check http:// or https:// and the port in the base URL of the credential.',
	'The service could not be reached: nothing answers at this address':
		'Check the base URL. In Docker, 127.0.0.1 is the container of n8n itself: use the name of the service.',
	'The service could not be reached: its host name was not found':
		'Check the base URL, and the name server of the machine of n8n.',
	'… must be true or false': 'Check the expression in this field.',
	'… must be a list': 'Check the expression in this field: it has to return a list.',
	'… must be one of: …':
		'Check the expression in this field: it has to return one of these values.',
	'… is longer than 4 million characters':
		'Send less, or put the text where the service can read it.',
	'… must be a number': 'Check the expression in this field: it has to return a number.',
	'… must be an object': 'Check the expression in this field: it has to return an object.',
	'The service sent a redirect to an address that is not safe':
		'The file was not downloaded. Report it to the support of the service.',
	'Transcript to Continue … must be an object with "text" and "speaker"':
		'Use the rows of `transcript` of an earlier output.',
	'… items: …': 'The same sentence for several items. Look for the part after the number.',
	'Resource and Operation cannot be expressions': 'Choose them in the lists of the node.',
	'Chat ID is empty': 'Enter the `chatId` of an earlier answer, or choose another **Session**.',
	'The chat of this session could not be looked up, so a new chat was started. …':
		'Read the rest of the sentence: the job ledger could not be reached.',
	'The chat of this session could not be remembered: the next message starts a new chat. …':
		'Read the rest of the sentence: the job ledger could not be reached.',
	'The job ledger has more than … chats. To delete those that were unused for longest, the n8n API key needs the scope dataTableRow:delete.':
		'Add the scope to the n8n API key, or delete rows of old chats in the Data Table.',
	'No text was found in the answer; "events" contains what arrived.':
		'Look into `events`. Report the form of the answer to the support of the service.',
	'The service no longer continues the chat …, so a new chat was started.':
		'Nothing. The answer does not know what was said before.',
	'The model … is of another kind than this operation needs':
		'Choose a model of the right kind from the list.',
	'This model is of another kind than this operation needs':
		'Choose a model of the right kind from the list.',
	'The model … …': 'Choose another model, or the operation that the sentence names.',
	'This model …': 'Choose another model, or the operation that the sentence names.',
	'The catalog does not have this model':
		'Choose the model from the list. Models that were retired are no longer in it.',
	'Options: Tools …: Name is empty': 'Enter a name for this tool.',
	'The JSON schema cannot be used, at …: …': 'Correct the schema at the place that is named.',
	'…: it is nested too deeply, or too large': 'Use a smaller schema.',
	'… must be an object with "role" and "content"':
		'Correct the JSON. A message looks like {"role": "user", "content": "Hello"}.',
	'Prompt is empty': 'Enter a prompt, or check the expression.',
	'The ledger has no such start': 'Check the key or the entry ID with **Job Ledger: Get Many**.',
	'Entry ID is empty': 'Enter the `entryId` that **Job Ledger: Get Many** returns.',
	'Execution ID is empty': 'Enter the number at the end of the address of the execution.',
	'Too many processes reserve requests at once': 'Run the item again.',
	'Unique Key is empty': 'Enter the key of the start.',
	'Unknown media type "…"': 'Choose Image, Video, Music or Speech.',
	'The address where the service stores the file refused the request (…)':
		'Try **Download File** again with the job ID. The file may have expired.',
	'… could not be used: …':
		'It begins with "The job ledger" or "The record of spending". Read the rest of it. Check the n8n URL and the n8n API key in the credential.',
	'The new row is not visible yet': 'Run the item again.',
	'Inputs: Parameter Name is empty': 'Enter the name that the model expects, such as image.',
	'The catalog could not be read, so no price is known':
		'Try again later. Nothing was sent to a model.',
	'No text was found in the field "…".':
		'Correct **Answer Field Path**. With **Include Raw Events** you see what the answer contains.',
	'… is not valid JSON': 'Correct the JSON at the place that the description names.',
	'Stop Pattern cannot be used':
		'Correct the regular expression. The description says what is wrong.',
	'The requests of this chat model cannot be guarded':
		'Use an older n8n, or a newer version of this package.',
	'The SDK for chat models is not compatible with this version of n8n':
		'Remove an SDK that was installed beside this package, or update n8n.',
	'This node needs n8n 2.16 or newer': 'Update n8n. Until then, use the Model Router node.',
};
