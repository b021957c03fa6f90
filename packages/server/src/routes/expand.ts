import { z } from '@hono/zod-openapi'
import { endpoint, sessionOf } from '../endpoint.ts'
import { oneOf, wholeNumberText } from '../fields.ts'
import { given } from '../given.ts'
import { messageJson, readNumber, requireSession } from './messages.ts'

const expandSegment = endpoint({
  method: 'get',
  path: '/v1/sessions/{id}/segments/{segment}',
  summary: 'What lies under a segment: those that it was made of, or the messages as they were said',
  query: z.strictObject({
    to: oneOf(['level', 'messages'])
      .optional()
      .openapi({ description: 'level: one level down, as when left out; messages: right down to them' }),
    after: wholeNumberText(0).optional().openapi({ description: 'the `next` of the page before' }),
    limit: wholeNumberText(1, 1_000).optional().openapi({ description: 'left out: 100' }),
    tokens: wholeNumberText(1)
      .optional()
      .openapi({ description: 'as many as fit into so many tokens, and at least one; left out: 8000' }),
  }),
  answers: {
    200: '{ segment, fromSeq, toSeq, segments: […], messages: […], next }: one of the lists is empty; `next` is the `after` of the next page, null on the last one',
  },
  handle: async call => {
    const segment = readNumber('segment', call.part('segment'))
    await requireSession(call)
    const { messages, ...rest } = await sessionOf(call).expand({ segment, ...given(call.query) })
    return { json: { ...rest, messages: await Promise.all(messages.map(messageJson)) } }
  },
})

export const expandRoutes = [expandSegment]
