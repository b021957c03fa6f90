import { z } from '@hono/zod-openapi'
import { ROLES } from 'palimpsest/internals/log/index'
import { endpoint, sessionOf } from '../endpoint.ts'
import { oneOf, text, wholeNumberText } from '../fields.ts'
import { given } from '../given.ts'
import { requireSession } from './messages.ts'

const MOMENT = 'a day or an instant, such as 2026-02-10 or 2026-02-10T14:00, in the zone that is set'

/** What `session.search` takes. */
const SEARCH = {
  q: text('what to search for, in words').openapi({
    description: 'words to find, in any order; "in quotes", as they stand; empty: nothing is found',
  }),
  limit: wholeNumberText(1, 100).optional().openapi({ description: 'how many results; left out: 10' }),
  cursor: text().optional().openapi({ description: 'the `next` of the page before' }),
  sender: text()
    .optional()
    .openapi({ description: 'only what they said, by id or name; a role for messages without a sender' }),
  role: oneOf(ROLES).optional(),
  after: text()
    .optional()
    .openapi({ description: `from then on: ${MOMENT}` }),
  before: text()
    .optional()
    .openapi({ description: `up to then: ${MOMENT}` }),
  neighbours: wholeNumberText(0, 5)
    .optional()
    .openapi({ description: 'messages before and after each result that are shown with it; left out: 1' }),
}

/** Which sessions; each narrows it down. */
const SESSIONS = {
  session: z
    .union([text(), z.array(text())], { error: 'the id of a session; several as session=a&session=b' })
    .optional()
    .openapi({
      type: 'array',
      items: { type: 'string' },
      description: 'only these, by id; may be given several times',
    }),
  user: text().optional().openapi({ description: 'only sessions of this user' }),
  scope: text().optional().openapi({ description: 'only sessions of this scope' }),
}

const ANSWERS = {
  200: '{ results: [{ sessionId, seq, externalId, role, sender, at, score, archived, excerpt, highlights, origin?, answered?, before, after }], next }, best first: `next` is the `cursor` of the next page, null on the last one; `people`, where `sender` is a name that several people have. `origin`: where the words come from that the sender did not say; `answered`: what the message answers',
}

const searchSession = endpoint({
  method: 'get',
  path: '/v1/sessions/{id}/search',
  summary: 'Find messages of a session, folded or not, by what they say',
  query: z.strictObject(SEARCH),
  answers: ANSWERS,
  handle: async call => {
    const { q, ...options } = given(call.query)
    const answer = await sessionOf(call).search(q, options)
    if (answer.results.length === 0) await requireSession(call)
    return { json: answer }
  },
})

const searchAll = endpoint({
  method: 'get',
  path: '/v1/search',
  summary: 'Find messages of all sessions, or of some of them',
  query: z.strictObject({ ...SEARCH, ...SESSIONS }),
  answers: ANSWERS,
  handle: async ({ palimpsest, query }) => {
    const { q, session, ...options } = given(query)
    const sessions = session === undefined ? {} : { sessions: [session].flat() }
    return { json: await palimpsest.search(q, { ...options, ...sessions }) }
  },
})

export const searchRoutes = [searchSession, searchAll]
