import { z } from '@hono/zod-openapi'
import { type Layer, shownSettings } from 'palimpsest/internals/config/index'
import { InvalidSettingsError, SettingsConflictError } from 'palimpsest/internals/errors'
import { type Call, endpoint, sessionOf } from '../endpoint.ts'
import { entityTag, isKnown, mayChange } from '../entity-tags.ts'
import { settingChanges, settledObjects } from '../setting-changes.ts'
import { SCHEMA_QUERY, withSchema } from '../setting-schema.ts'
import { settingsTag } from '../settings-tag.ts'
import { requireSession } from './messages.ts'

const PATH = '/v1/sessions/{id}/settings'
const SHAPE =
  '{ settings: { policy, threshold, … }, sources: { policy: "session", … } } as they are for this session'

const readSessionSettings = endpoint({
  method: 'get',
  path: PATH,
  summary: 'Every setting as it is for a session, and where it comes from',
  query: SCHEMA_QUERY,
  headers: { 'if-none-match': 'the entity tags that the caller has' },
  answers: { 200: SHAPE, 304: 'they are as the caller knows them' },
  handle: async call => {
    await requireSession(call)
    const own = await sessionOf(call).settings()
    const tag = settingsTag(own, call.settings.forSession(own))
    if (isKnown(call.header('if-none-match'), tag)) return { status: 304, headers: { etag: entityTag(tag) } }
    const answer = answerWith(call, own)
    return { ...answer, json: withSchema(answer.json, call.query) }
  },
})

/** How often another process may win the race before the change fails. */
const MAX_TRIES = 20

const changeSessionSettings = endpoint({
  method: 'put',
  path: PATH,
  summary: 'Change settings for one session by name; null takes one away. In force from the next message on',
  body: z.looseObject({}),
  nulls: 'kept',
  headers: { 'if-match': 'changed only if they have one of these entity tags; anything else is a 412' },
  answers: { 200: `${SHAPE}; { etag } for a key without the scope read`, 412: 'they are others by now' },
  handle: async call => {
    const session = sessionOf(call)
    const ifMatch = call.header('if-match')
    const asked = readChanges(call.body)
    for (let tries = 1; ; tries++) {
      const expected = await session.settings()
      if (ifMatch !== null && !mayChange(ifMatch, settingsTag(expected, call.settings.forSession(expected))))
        throw new SettingsConflictError()
      const changes = { ...settledObjects(expected, 'session'), ...asked }
      const changed = Object.entries({ ...expected, ...changes }).filter(([, value]) => value !== null)
      // Settings that do not fit together are refused before anything is stored.
      call.settings.checkForSession(Object.fromEntries(changed), Object.keys(changes))
      try {
        await session.configure(changes, { expected })
        const { headers, json } = answerWith(call, await session.settings())
        return { headers, json: { etag: headers.etag }, readersJson: json }
      } catch (error) {
        if (tries === MAX_TRIES || !(error instanceof SettingsConflictError)) throw error
      }
    }
  },
})

const NOT_OWN = { allowed: 'only with a request, or for all with PUT /v1/settings', isUnknown: true }

function readChanges(given: Layer): Layer {
  // Only the caller who asks for a reply knows how much room it needs.
  if (Object.hasOwn(given, 'outputReserve'))
    throw new InvalidSettingsError([{ setting: 'outputReserve', value: given['outputReserve'], ...NOT_OWN }])
  return settingChanges(given, 'session').changes
}

function answerWith({ settings }: Pick<Call<unknown, unknown>, 'settings'>, own: Layer) {
  const resolved = settings.forSession(own)
  return { headers: { etag: entityTag(settingsTag(own, resolved)) }, json: shownSettings(resolved) }
}

export const sessionSettingsRoutes = [readSessionSettings, changeSessionSettings]
