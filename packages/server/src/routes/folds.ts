import { z } from '@hono/zod-openapi'
import { endpoint, sessionOf } from '../endpoint.ts'
import { text, wholeNumberText } from '../fields.ts'
import { given } from '../given.ts'
import { requireSession } from './messages.ts'

const listFolds = endpoint({
  method: 'get',
  path: '/v1/sessions/{id}/folds',
  summary: 'The folds of a session, applied and failed, the newest first',
  query: z.strictObject({
    before: text().optional().openapi({ description: 'the `next` of the page before' }),
    limit: wholeNumberText(1, 500).optional().openapi({ description: 'left out: 50' }),
  }),
  answers: {
    200: '{ folds: [{ id, at, outcome: applied | failed, type, reason, fromSeq, toSeq, throughSeq, tokensBefore, tokensAfter, durationMs, usage, spendGuard, segmentIds }], next }: `next` is the `before` of the next page, null on the last one',
  },
  handle: async call => {
    const { limit = 50, ...page } = given(call.query)
    const found = await sessionOf(call).folds({ ...page, limit: limit + 1 })
    if (found.length === 0) await requireSession(call)
    const folds = found.slice(0, limit)
    return { json: { folds, next: found.length > limit ? folds.at(-1)!.id : null } }
  },
})

const readGrowth = endpoint({
  method: 'get',
  path: '/v1/sessions/{id}/growth',
  summary: "How a session's tokens have grown with its messages",
  query: z.strictObject({
    points: wholeNumberText(2, 1_000).optional().openapi({ description: 'left out: 300' }),
  }),
  answers: {
    200: '{ points: [{ seq, at, tokens }] }: at messages that are evenly spread, the first and the newest included, the tokens of all through that one',
  },
  handle: async call => {
    const points = await sessionOf(call).growth(given(call.query))
    if (points.length === 0) await requireSession(call)
    return { json: { points } }
  },
})

export const foldRoutes = [listFolds, readGrowth]
