import type { ModelReply } from './model-reply.ts'

/**
 * Failures of models that were asked for a summary, as seen in real use. Each error has the status, the form
 * and the words of the provider whose protocol is spoken.
 */
export const modelFailures = {
  'too many requests': { error: { kind: 'rate_limited' }, headers: { 'retry-after': '30' } },
  'no quota': { error: { kind: 'no_quota' } },
  'no such model': { error: { kind: 'not_found' } },
  'internal error': { error: { kind: 'internal' } },
  overloaded: { error: { kind: 'overloaded' } },
  'wrong key': { error: { kind: 'unauthorized' } },
  'context overflow': { error: { kind: 'overflow' } },
  'connection reset': { fault: 'reset' },
  'body cut off': { text: 'The crates of lemons sail to Porto on Friday. '.repeat(20), fault: 'cut_off' },
  hang: { fault: 'hang' },
  'empty text': { text: '' },
  'only spaces': { text: ' \n\n ' },
  'error as text': { text: 'Error generating summary' },
  'asks for the conversation': {
    text: 'Please provide the conversation that you would like me to summarize.',
  },
  refusal: { text: "I'm sorry, but I can't help with summarizing this conversation." },
  'refusal field': { refusal: 'I cannot assist with that request.' },
  'bare tool call': { toolCalls: [{ name: 'search', arguments: '{"query":"lemons"}' }] },
  'tool call as text': { text: '<tool_call>{"name":"search","arguments":{"query":"lemons"}}</tool_call>' },
  'cut off by length': { text: '{"summary": "Ann ships forty crates of', finishReason: 'length' },
  'content filter': { text: '', finishReason: 'content_filter' },
  'empty template': {
    text: '## Decisions\n(none)\n## Preferences\n(none)\n## Facts\nNone\n## Open questions\nN/A',
  },
  'longer than its source': {
    text: 'Forty crates of lemons sail to Porto on Friday, said Ann. '.repeat(400),
  },
  'wrong language': {
    text: '2026年3月6日：柠檬40箱星期五运往波尔图，安负责联系货运公司，并且确认了价格和到达的时间，大家都同意这个安排。',
  },
  'invalid JSON': { text: '{"summary": "Ann ships forty crates", "events": [}' },
  'no summary in the JSON': { text: '{"status": "done", "result": null}' },
  'error as JSON': { text: '{"error": {"message": "upstream timed out"}}' },
  'HTML page': {
    headers: { 'content-type': 'text/html' },
    body: '<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>',
  },
} as const satisfies Record<string, ModelReply>
