import { z } from '@hono/zod-openapi'
import { findSetting, readLayer, shownSettings } from '../../config/index.ts'
import { InvalidSettingsError } from '../../errors.ts'
import { endpoint, sessionOf } from '../endpoint.ts'

const PATH = '/v1/sessions/{id}/settings'
const SHAPE =
  '{ settings: { policy, threshold, … }, sources: { policy: "session", … } } as they are for this session'

const readSessionSettings = endpoint({
  method: 'get',
  path: PATH,
  summary: 'Every setting as it is for a session, and where it comes from',
  answers: { 200: SHAPE },
  handle: async call => {
    const own = await sessionOf(call).settings()
    return { json: shownSettings(call.settings.forSession(own)) }
  },
})

const changeSessionSettings = endpoint({
  method: 'put',
  path: PATH,
  summary: 'Change settings for one session by name; null takes one away. In force from the next message on',
  body: z.looseObject({}),
  nulls: 'kept',
  answers: { 200: SHAPE },
  handle: async call => {
    const session = sessionOf(call)
    const changes = readChanges(call.body)
    const own = Object.entries({ ...(await session.settings()), ...changes })
    // What does not fit together is refused before anything is stored.
    call.settings.checkForSession(Object.fromEntries(own.filter(([, value]) => value !== null)))
    await session.configure(changes)
    return { json: shownSettings(call.settings.forSession(await session.settings())) }
  },
})

const NOT_OWN = { allowed: 'only with a request, or for all with PUT /v1/settings', isUnknown: true }

/** Under their newest names, checked; what is none in a setting that knows none is stored as such. */
function readChanges(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  // What a reply needs is known to whoever asks for one.
  if (Object.hasOwn(given, 'outputReserve'))
    throw new InvalidSettingsError([{ setting: 'outputReserve', value: given['outputReserve'], ...NOT_OWN }])
  const layer = readLayer(given, 'request')
  const removed = Object.keys(given)
    .filter(name => given[name] === null)
    .map(name => [findSetting(name)!.name, null])
  return {
    ...Object.fromEntries(removed),
    ...Object.fromEntries(Object.entries(layer).map(([name, value]) => [name, value ?? 'none'])),
  }
}

export const sessionSettingsRoutes = [readSessionSettings, changeSessionSettings]
