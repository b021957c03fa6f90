import { z } from '@hono/zod-openapi'
import { endpoint, sessionOf } from '../endpoint.ts'
import { CONTEXT_OVERRIDES, oneOf, text, wholeNumber, wholeNumberText } from '../fields.ts'
import { reserveOf } from '../output-reserve.ts'

const FORMATS = ['messages', 'openai', 'anthropic', 'text'] as const

const context = endpoint({
  method: 'post',
  path: '/v1/sessions/{id}/context',
  summary: 'What a model is to be given for the next call',
  scopes: ['read'],
  body: z.strictObject({
    ...CONTEXT_OVERRIDES,
    budget: z
      .union([wholeNumber(1), wholeNumberText(1)], { error: 'a whole number of at least 1' })
      .optional()
      .openapi({ description: 'tokens of the whole context' }),
    model: text('the name of a model').optional(),
    instructions: text().optional(),
    tools: z
      .unknown()
      .optional()
      .openapi({ description: 'as the model is given them: they are only counted' }),
    query: text()
      .optional()
      .openapi({ description: 'what is asked now: older messages that may answer it are recalled' }),
    reasoning: oneOf(['drop', 'keep']).optional(),
    throughSeq: wholeNumber(1).optional().openapi({
      description:
        'the message that is answered: what others said after it is not shown; left out: the newest message',
    }),
    format: oneOf(FORMATS).optional(),
    limit: wholeNumber(1).optional().openapi({ description: 'with the format text: most characters' }),
    notes: z
      .boolean({ error: 'true, or false' })
      .optional()
      .openapi({ description: 'false: somebody only looks, and folds are not made for what is asked here' }),
  }),
  answers: {
    200: '{ instructions, messages, messageTokens, messageSeqs, report }: of each message its tokens and its seq, 0 where it is none of the log',
  },
  handle: async call => {
    const {
      budget,
      model,
      instructions,
      tools,
      query,
      reasoning,
      throughSeq,
      format = 'messages',
      limit,
      notes = true,
      ...overrides
    } = call.body
    const session = sessionOf(call)
    const { policy, resolved } = await call.settings.forRequest(overrides, session)
    const context = await session.context({
      ...reserveOf(resolved, call.settings.current),
      ...(budget !== undefined && { budget }),
      ...(model !== undefined && { model }),
      ...(instructions !== undefined && { instructions }),
      ...(tools !== undefined && { tools }),
      ...(query !== undefined && { query }),
      ...(reasoning !== undefined && { reasoning }),
      ...(throughSeq !== undefined && { throughSeq }),
      ...(policy && { policy }),
      // A caller who may only read changes nothing by this call.
      ...(!(notes && call.access.scopes.has('write')) && { notes: false as const }),
    })
    const { report } = context
    switch (format) {
      case 'messages': {
        const { instructions, messages, messageTokens, messageSeqs } = context
        return { json: { instructions, messages, messageTokens, messageSeqs, report } }
      }
      case 'openai':
        return { json: { ...context.toOpenAI(), report } }
      case 'anthropic':
        return { json: { ...context.toAnthropic(), report } }
      case 'text':
        return {
          json: {
            instructions: context.instructions,
            text: context.toText({ ...(limit !== undefined && { limit }) }),
            report,
          },
        }
    }
  },
})

export const contextRoutes = [context]
