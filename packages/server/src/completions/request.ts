import { z } from '@hono/zod-openapi'
import { CONTEXT_OVERRIDES, oneOf, text, wholeNumber, wholeNumberText } from '../fields.ts'
import { invalidArguments } from '../problems.ts'

const LIST = 'a list of at least one message'
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
const FORMATS = 'text, json_object, or json_schema with { name, schema }'
const TOOL = '{ type: "function", function: { name, description, parameters } }'
const CHOICES = 'auto, none, required, or { type: "function", function: { name } }'
const STOPS = 'text, or a list of at most 4 texts'

const number = (least: number, most: number) => {
  const error = `a number from ${least} to ${most}`
  return z.number({ error }).min(least, { error }).max(most, { error })
}

const tool = z.looseObject(
  {
    type: z.literal('function', { error: 'function' }),
    function: z.looseObject(
      {
        name: text('the name of a tool'),
        description: text().nullish(),
        parameters: z.looseObject({}, { error: 'a JSON schema' }).nullish(),
        strict: z.boolean({ error: 'true or false' }).nullish(),
      },
      { error: TOOL },
    ),
  },
  { error: TOOL },
)

const toolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  ],
  { error: CHOICES },
)

const responseFormat = z.union(
  [
    z.looseObject({ type: z.enum(['text', 'json_object']) }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({ name: z.string(), schema: z.looseObject({}).optional() }),
    }),
  ],
  { error: FORMATS },
)

/** Settings for this request alone. `budget` is left out, since here it is the budget of the context. */
const { budget: _, ...OVERRIDES } = CONTEXT_OVERRIDES

/** Unknown fields are ignored, as in other servers of this protocol. */
export const CHAT_REQUEST = z
  .looseObject({
    messages: z
      .array(z.unknown(), { error: LIST })
      .min(1, { error: LIST })
      .openapi({ type: 'array', items: { type: 'object' } }),
    model: text('the name of a model').optional().openapi({ description: 'any: the configured one answers' }),
    user: text().optional().openapi({ description: 'the session, where no header names it' }),
    stream: z.boolean({ error: 'true or false' }).optional(),
    stream_options: z
      .looseObject({ include_usage: z.boolean({ error: 'true or false' }).nullish() }, { error: 'an object' })
      .optional(),
    tools: z.array(tool, { error: `a list of ${TOOL}` }).optional(),
    tool_choice: toolChoice.optional(),
    parallel_tool_calls: z.boolean({ error: 'true or false' }).optional(),
    response_format: responseFormat.optional(),
    temperature: number(0, 2).optional(),
    top_p: number(0, 1).optional(),
    presence_penalty: number(-2, 2).optional(),
    frequency_penalty: number(-2, 2).optional(),
    max_tokens: wholeNumber(1).optional(),
    max_completion_tokens: wholeNumber(1).optional(),
    stop: z.union([z.string(), z.array(z.string()).max(4)], { error: STOPS }).optional(),
    seed: z.int({ error: 'a whole number' }).optional(),
    reasoning_effort: oneOf(EFFORTS).optional(),
    budget: z
      .union([wholeNumber(1), wholeNumberText(1)], { error: 'a whole number of at least 1' })
      .optional()
      .openapi({ description: 'tokens of the whole context' }),
    ...OVERRIDES,
  })
  .openapi('ChatCompletion', {
    description: "OpenAI's chat completion; settings may be overridden for this request only.",
  })

export type ChatRequest = z.output<typeof CHAT_REQUEST>

export function overridesIn(body: ChatRequest): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(OVERRIDES).flatMap(name => (body[name] === undefined ? [] : [[name, body[name]]])),
  )
}

const NOT_HERE = 'leave it out: this server does not have it'

/**
 * Fields that this server cannot honour and whose effect the client would miss.
 * `isFine` tells which values are allowed.
 */
const REFUSED: Readonly<Record<string, { isFine: (value: unknown) => boolean; allowed: string }>> = {
  n: { isFine: value => value === 1, allowed: '1: one answer is given and stored' },
  logprobs: { isFine: value => value === false, allowed: 'false, or leave it out' },
  top_logprobs: { isFine: () => false, allowed: NOT_HERE },
  audio: { isFine: () => false, allowed: 'leave it out: answers are text' },
  modalities: {
    isFine: value => Array.isArray(value) && value.every(each => each === 'text'),
    allowed: '["text"]',
  },
  web_search_options: { isFine: () => false, allowed: NOT_HERE },
  functions: { isFine: () => false, allowed: 'tools, in its place' },
  function_call: { isFine: () => false, allowed: 'tool_choice, in its place' },
}

export function refuseUnfit(body: ChatRequest): void {
  const problems = Object.entries(REFUSED).flatMap(([field, { isFine, allowed }]) =>
    body[field] === undefined || isFine(body[field]) ? [] : [{ field, value: body[field], allowed }],
  )
  if (problems.length > 0) throw invalidArguments(problems)
}
