import { z } from '@hono/zod-openapi'
import { SessionNotFoundError } from 'palimpsest/internals/errors'
import { ID_RULE, isId, NEW_ID_RULE } from 'palimpsest/internals/log/index'
import type { SessionInfo } from 'palimpsest/internals/session'
import { type Answer, endpoint, sessionOf } from '../endpoint.ts'
import { oneOf, text, wholeNumber, wholeNumberText } from '../fields.ts'
import { given } from '../given.ts'
import type { Tenant } from '../tenants.ts'
import { withinScopes } from '../within-scopes.ts'
import { requireSession } from './messages.ts'

const WITHIN_AN_ID = `a part of an id: ${ID_RULE}`

const listSessions = endpoint({
  method: 'get',
  path: '/v1/sessions',
  summary: 'List sessions in the order of their ids, or those in which something happened last',
  query: z.strictObject({
    after: text().optional().openapi({ description: 'in the order of ids: only those after this one' }),
    limit: wholeNumberText(1, 1_000).optional().openapi({ description: 'left out: 100' }),
    q: text(WITHIN_AN_ID)
      .refine(q => q === '' || isId(q), { error: WITHIN_AN_ID })
      .optional()
      .openapi({ description: 'only those whose id contains it, whatever the case of its letters' }),
    order: oneOf(['id', 'recent']).optional().openapi({
      description:
        'recent: the newest first, as far as the newest few thousand events tell; then others by id',
    }),
  }),
  answers: {
    200: '{ sessions: […], next }: `next` is the `after` of the next page, null on the last one and with recent',
  },
  handle: async ({ palimpsest, query }) => {
    const { limit = 100, q: contains, ...page } = given(query)
    const wanted = { ...page, ...(contains !== undefined && { contains }) }
    if (page.order === 'recent')
      return { json: { sessions: await palimpsest.sessions({ ...wanted, limit }), next: null } }
    const found = await palimpsest.sessions({ ...wanted, limit: limit + 1 })
    const sessions = found.slice(0, limit)
    return { json: { sessions, next: found.length > limit ? sessions.at(-1)!.id : null } }
  },
})

const readSession = endpoint({
  method: 'get',
  path: '/v1/sessions/{id}',
  summary: 'Read the figures of a session',
  answers: { 200: '{ id, kind, messages, rawMessages, segments, turns, beginsAfter, compactedThrough, … }' },
  handle: async call => ({ json: await infoOf(call, call.part('id')) }),
})

async function infoOf({ palimpsest }: Pick<Tenant, 'palimpsest'>, id: string): Promise<SessionInfo> {
  const info = await palimpsest.session(id).info()
  if (info === null) throw new SessionNotFoundError(id)
  return info
}

const assignTraits = endpoint({
  method: 'patch',
  path: '/v1/sessions/{id}',
  summary: 'Give a session the user or the scope that it is without, once',
  body: z.strictObject({
    user: text(NEW_ID_RULE).optional().openapi({ description: 'whose chat it is' }),
    scope: text(NEW_ID_RULE).optional().openapi({ description: 'the workspace that it belongs to' }),
  }),
  answers: { 200: '{ id, assigned }: those of user and scope that it was without' },
  handle: async call => {
    const { assigned } = await withinScopes(call.access, () => sessionOf(call).assign(given(call.body)))
    return { json: { id: call.part('id'), assigned } }
  },
})

const listSegments = endpoint({
  method: 'get',
  path: '/v1/sessions/{id}/segments',
  summary: 'Read the segments of a session, oldest first',
  query: z.strictObject({
    all: oneOf(['true', 'false']).optional().openapi({ description: 'with those that were rolled up' }),
  }),
  answers: { 200: '{ segments: [{ id, fromSeq, toSeq, messageCount, level, state, summary, … }] }' },
  handle: async call => {
    const segments = await sessionOf(call).segments(call.query.all === 'true' ? 'all' : 'shown')
    if (segments.length === 0) await requireSession(call)
    return { json: { segments } }
  },
})

const UNREAD = '{ id } for a key without the scope read'

/**
 * The session after a change, for callers who may read: its memo tells what was said. Others get the id only.
 */
function changed(info: SessionInfo, status = 200): Answer {
  return { status, json: { id: info.id }, readersJson: info }
}

const rollBack = endpoint({
  method: 'post',
  path: '/v1/sessions/{id}/rollback',
  summary: 'Hide every message above a seq; nothing is deleted',
  body: z.strictObject({ toSeq: wholeNumber(0) }),
  answers: { 200: `the session, as GET gives it; ${UNREAD}` },
  handle: async call => changed(await sessionOf(call).rollback(call.body.toSeq)),
  repeat: { keep: () => null, answer: async call => changed(await infoOf(call, call.part('id'))) },
})

const BEGINNING_PATH = '/v1/sessions/{id}/new-beginning'

const newBeginning = endpoint({
  method: 'post',
  path: BEGINNING_PATH,
  summary:
    'Begin anew: contexts begin after the newest message; what was said before is kept and can be searched',
  answers: {
    200: '{ id, beginning: { afterSeq, at } }: `beginning` is null where nothing was said since the last one',
  },
  handle: async call => ({
    json: { id: call.part('id'), beginning: await sessionOf(call).newBeginning() },
  }),
  repeat: { keep: ({ json }) => json, answer: async (_, kept) => ({ json: kept }) },
})

const undoNewBeginning = endpoint({
  method: 'delete',
  path: BEGINNING_PATH,
  summary: 'Take the newest beginning back, whatever was said since',
  answers: {
    200: '{ id, beginning: { afterSeq, at } }: the one that is taken back; null where there is none',
  },
  handle: async call => ({
    json: { id: call.part('id'), beginning: await sessionOf(call).undoNewBeginning() },
  }),
  // Without this, a repeat would take back an earlier beginning, too.
  repeat: { keep: ({ json }) => json, answer: async (_, kept) => ({ json: kept }) },
})

const fork = endpoint({
  method: 'post',
  path: '/v1/sessions/{id}/fork',
  summary: 'A new session with the messages through a seq',
  body: z.strictObject({ id: text('the id of the new session'), atSeq: wholeNumber(0).optional() }),
  answers: { 201: `the new session, as GET gives it; ${UNREAD}` },
  handle: async call => {
    const forked = await sessionOf(call).fork(call.body.id, call.body.atSeq)
    return changed(await infoOf(call, forked.id), 201)
  },
  repeat: {
    keep: () => null,
    answer: async call => changed(await infoOf(call, call.body.id), 201),
  },
})

export const sessionRoutes = [
  listSessions,
  readSession,
  assignTraits,
  listSegments,
  rollBack,
  newBeginning,
  undoNewBeginning,
  fork,
]
