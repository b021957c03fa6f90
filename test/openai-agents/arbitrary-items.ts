import type { AgentInputItem } from '@openai/agents'
import fc from 'fast-check'

/** Items of every kind that the SDK knows, with all that may stand in them: for the tests of this folder. */

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    'Hello there',
    '聊天记忆',
    '🎉',
    'a\r\nb',
    '\ud800',
    '\0',
    '{"a":1}',
    '<session_memory>',
  ),
)
/**
 * Not the backslash alone: after an object with that name, Node 24's JSON.parse reads every one-character name that is
 * written as an escape as a backslash, where the fields before it are the same (seen with v24.21.0).
 */
const name = text.filter(each => each !== '\\')
const id = fc.oneof(fc.constantFrom('call_1', 'call_2', 'id'), fc.string({ minLength: 1, maxLength: 8 }))
const bytes = fc.uint8Array({ maxLength: 8 })
/** What JSON can hold, and bytes; numbers as JSON gives them back. */
const data: fc.Arbitrary<unknown> = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(null, true, false, 0, 1.5, -3),
    bytes,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('$bytes', '$escaped', 'type', 'text', 'agents'), name),
      tie('value'),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    ),
  ),
})).value
const providerData = fc.dictionary(fc.oneof(fc.constantFrom('type', 'encrypted_content'), name), data, {
  maxKeys: 3,
  noNullPrototype: true,
})
const status = fc.constantFrom('in_progress', 'completed', 'incomplete')
const caller = fc.oneof(
  fc.constant({ type: 'direct' }),
  fc.record({ type: fc.constant('program'), callerId: id }),
)
const breakpoint = fc.constant({ mode: 'explicit' })

type Fields = Record<string, fc.Arbitrary<unknown>>

/** `optional`: there, or not. */
function record(required: Fields, optional: Fields = {}): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    { ...required, ...optional },
    { requiredKeys: Object.keys(required), noNullPrototype: true },
  )
}

function item(type: string, required: Fields, optional: Fields = {}) {
  return record({ type: fc.constant(type), ...required }, { id, providerData, ...optional })
}

const inputText = record(
  { type: fc.constant('input_text'), text },
  { providerData, promptCacheBreakpoint: breakpoint },
)
const inputImage = record(
  { type: fc.constant('input_image') },
  { image: fc.oneof(text, record({ id })), detail: text, providerData },
)
const inputFile = record(
  { type: fc.constant('input_file') },
  { file: fc.oneof(text, record({ id }), record({ url: text })), filename: text, providerData },
)
const audio = record(
  { type: fc.constant('audio'), audio: fc.oneof(text, record({ id })) },
  { format: fc.option(text), transcript: fc.option(text), providerData },
)
const userEntry = fc.oneof(inputText, inputImage, inputFile, audio)
const assistantEntry = fc.oneof(
  record({ type: fc.constant('output_text'), text }, { providerData }),
  record({ type: fc.constant('refusal'), refusal: text }, { providerData }),
  audio,
  record({ type: fc.constant('image'), image: text }, { providerData }),
)
const outputImage = fc.oneof(
  text,
  record({ data: fc.oneof(text, bytes) }, { mediaType: text }),
  record({ url: text }),
  record({ fileId: id }),
)
const outputFile = fc.oneof(
  text,
  record({ data: fc.oneof(text, bytes), mediaType: text, filename: text }),
  record({ url: text }, { filename: text }),
  record({ id }, { filename: text }),
)
const toolOutput = fc.oneof(
  text,
  record({ type: fc.constant('text'), text }, { providerData }),
  record({ type: fc.constant('image') }, { image: outputImage, detail: text, providerData }),
  record({ type: fc.constant('file'), file: outputFile }, { providerData }),
  fc.array(fc.oneof(inputText, inputImage, inputFile), { maxLength: 3 }),
)
const action = fc.oneof(
  fc.constantFrom({ type: 'screenshot' }, { type: 'wait' }),
  record({ type: fc.constant('type'), text }),
  record({ type: fc.constant('keypress'), keys: fc.array(text, { maxLength: 2 }) }),
)
const operation = fc.oneof(
  record({ type: fc.constantFrom('create_file'), path: text, diff: text }),
  record({ type: fc.constant('delete_file'), path: text }),
)
const shellOutput = record(
  {
    stdout: text,
    stderr: text,
    outcome: fc.constantFrom(
      { type: 'timeout' },
      { type: 'exit', exitCode: 0 },
      { type: 'exit', exitCode: null },
    ),
  },
  { more: data },
)

const messages = {
  user: record(
    { role: fc.constant('user'), content: fc.oneof(text, fc.array(userEntry, { maxLength: 3 })) },
    { type: fc.constant('message'), id, providerData },
  ),
  assistant: record(
    { role: fc.constant('assistant'), status, content: fc.array(assistantEntry, { maxLength: 3 }) },
    { type: fc.constant('message'), id, providerData, phase: fc.constantFrom('commentary', 'final_answer') },
  ),
  system: record(
    { role: fc.constant('system'), content: text },
    { type: fc.constant('message'), id, providerData },
  ),
}

const ITEMS: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
  ...messages,
  function_call: item(
    'function_call',
    { callId: id, name: id, arguments: text },
    { namespace: text, status, caller },
  ),
  function_call_result: item(
    'function_call_result',
    { callId: id, name: id, status, output: toolOutput },
    { namespace: text, caller },
  ),
  reasoning: item(
    'reasoning',
    { content: fc.array(inputText, { maxLength: 2 }) },
    {
      rawContent: fc.array(record({ type: fc.constant('reasoning_text'), text }, { providerData }), {
        maxLength: 2,
      }),
    },
  ),
  hosted_tool_call: item(
    'hosted_tool_call',
    {
      name: fc.oneof(id, fc.constantFrom('web_search_call', 'mcp_approval_request', 'mcp_approval_response')),
    },
    {
      arguments: text,
      status: text,
      output: text,
      caller,
      providerData: fc.oneof(
        providerData,
        record({ id }),
        record({ approval_request_id: id, approve: fc.boolean() }),
      ),
    },
  ),
  computer_call: fc
    .tuple(
      item('computer_call', { callId: id, status }),
      fc.oneof(
        record({ action }, { actions: fc.array(action, { minLength: 1, maxLength: 2 }) }),
        record({ actions: fc.array(action, { minLength: 1, maxLength: 2 }) }),
      ),
    )
    .map(([call, actions]) => ({ ...call, ...actions })),
  computer_call_result: item('computer_call_result', {
    callId: id,
    output: record({ type: fc.constant('computer_screenshot'), data: text }, { providerData }),
  }),
  shell_call: item(
    'shell_call',
    { callId: id, action: record({ commands: fc.array(text, { maxLength: 2 }) }, { timeoutMs: fc.nat() }) },
    { status, caller },
  ),
  shell_call_output: item(
    'shell_call_output',
    { callId: id, output: fc.array(shellOutput, { maxLength: 2 }) },
    { status, maxOutputLength: fc.nat(), caller },
  ),
  apply_patch_call: item(
    'apply_patch_call',
    { callId: id, status: fc.constantFrom('in_progress', 'completed'), operation },
    { caller },
  ),
  apply_patch_call_output: item(
    'apply_patch_call_output',
    { callId: id, status: fc.constantFrom('completed', 'failed') },
    { output: text, caller },
  ),
  program: item('program', { callId: id, code: text, fingerprint: text }),
  program_output: item('program_output', {
    callId: id,
    output: text,
    status: fc.constantFrom('completed', 'incomplete'),
  }),
  tool_search_call: item(
    'tool_search_call',
    { arguments: data },
    {
      call_id: fc.option(id),
      callId: fc.option(id),
      execution: fc.constantFrom('client', 'server'),
      status: text,
    },
  ),
  tool_search_output: item(
    'tool_search_output',
    { tools: fc.array(providerData, { maxLength: 2 }) },
    { call_id: fc.option(id), callId: fc.option(id), execution: fc.constantFrom('client', 'server') },
  ),
  compaction: item('compaction', { encrypted_content: text }, { created_by: text }),
  unknown: item('unknown', {}),
}

export const ITEM_KINDS: readonly string[] = Object.keys(ITEMS)

export function itemOfKind(kind: string): fc.Arbitrary<AgentInputItem> {
  return ITEMS[kind]! as unknown as fc.Arbitrary<AgentInputItem>
}

export const anyItem: fc.Arbitrary<AgentInputItem> = fc.oneof(...ITEM_KINDS.map(itemOfKind))
