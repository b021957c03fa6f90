import { z } from '@hono/zod-openapi'
import { ID_RULE, isId } from 'palimpsest/internals/log/index'
import { CONSUMER_NAME, CONSUMER_RULE } from 'palimpsest/internals/store/index'
import { endpoint } from '../endpoint.ts'
import { POSITION_RULE, readPosition } from '../event-position.ts'
import { text } from '../fields.ts'
import { invalidArguments } from '../problems.ts'

const events = endpoint({
  method: 'get',
  path: '/v1/events',
  summary: 'What happens from now on, or after an event, as server-sent events',
  query: z.strictObject({
    session: text(ID_RULE)
      .refine(isId, { error: ID_RULE })
      .optional()
      .openapi({ description: 'only what happens in this session; left out: in all' }),
    after: text(POSITION_RULE)
      .optional()
      .openapi({ description: `${POSITION_RULE}; left out: from now on` }),
    consumer: text(CONSUMER_RULE)
      .regex(CONSUMER_NAME, { error: CONSUMER_RULE })
      .optional()
      .openapi({ description: 'the name of the client: what it has not read yet is kept for it' }),
  }),
  headers: { 'last-event-id': 'the last event that was received: goes on after it, whatever `after` says' },
  answers: { 200: 'a stream of events' },
  answerType: 'text/event-stream',
  handle: async call => {
    const { session = null, after, consumer } = call.query
    const resumed = call.header('last-event-id') || null
    const position =
      resumed === null ? positionIn('after', after ?? null) : positionIn('last-event-id', resumed)
    const body = await call.events.listen(session, {
      after: position,
      consumer,
      signal: call.signal,
      isAllowed: call.access.isStillGood,
    })
    const headers = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Tells proxies to pass each event on as it comes.
      'x-accel-buffering': 'no',
    }
    return { headers, body }
  },
})

function positionIn(field: 'after' | 'last-event-id', written: string | null): string | null {
  if (written === null) return null
  const position = readPosition(written)
  if (position === null) throw invalidArguments([{ field, value: written, allowed: POSITION_RULE }])
  return position
}

export const eventRoutes = [events]
