import { z } from '@hono/zod-openapi'
import type { Resolved } from 'palimpsest/internals/config/index'
import { InvalidDecisionError } from 'palimpsest/internals/errors'
import { endpoint, sessionOf } from '../endpoint.ts'
import { OVERRIDES, text } from '../fields.ts'
import { invalidArguments } from '../problems.ts'

const FORCE = 'true, or a type of fold: lite, deep'

/**
 * A long backlog takes several folds. This call may take as long as this many model timeouts; later folds are
 * left to the background.
 */
const MAX_FOLDS_WORTH = 2

const compact = endpoint({
  method: 'post',
  path: '/v1/sessions/{id}/compact',
  summary: 'Fold now, as the policy says or by force, and wait for it',
  body: z.strictObject({
    force: z.union([z.boolean(), z.string().min(1)], { error: FORCE }).optional(),
    focus: text('text').max(4_000, { error: 'text of at most 4000 characters' }).optional(),
    ...OVERRIDES,
  }),
  answers: { 200: '{ outcome: applied | skipped | failed, type, reason, fromSeq, toSeq, segmentId, … }' },
  handle: async call => {
    const { force = false, focus, ...overrides } = call.body
    const { policy, resolved } = await call.settings.forRequest(overrides, sessionOf(call))
    const timeoutMs = longestMs(resolved)
    const outcome = await sessionOf(call)
      .compact({
        ...(force !== false && { force }),
        ...(focus !== undefined && { focus }),
        ...(policy && { policy }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      .catch(error => {
        if (!(error instanceof InvalidDecisionError)) throw error
        throw invalidArguments([{ field: 'force', value: force, allowed: FORCE }])
      })
    call.metrics.folded(outcome)
    return { json: outcome }
  },
  repeat: {
    keep: ({ json }) => json,
    answer: async (_, kept) => ({ json: kept }),
    longestMs: ({ settings }) => longestMs(settings.current) + 60_000,
  },
})

function longestMs({ values }: Resolved): number {
  return Math.ceil(values.modelTimeoutSec * 1000 * MAX_FOLDS_WORTH)
}

export const compactRoutes = [compact]
