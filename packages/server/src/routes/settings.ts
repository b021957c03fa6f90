import { z } from '@hono/zod-openapi'
import { shownSettings } from 'palimpsest/internals/config/index'
import { endpoint } from '../endpoint.ts'
import { entityTag, isKnown, mayChange } from '../entity-tags.ts'
import { SCHEMA_QUERY, withSchema } from '../setting-schema.ts'

const SHAPE =
  '{ settings: { policy, threshold, … }, sources: { policy: "default", … }, messages?, ceilings? }: `messages` says what was set and is not in force; `ceilings`, outside the server\'s own namespace, the limits that may be lowered'

const readSettings = endpoint({
  method: 'get',
  path: '/v1/settings',
  summary: 'Every setting with its value and where it comes from',
  query: SCHEMA_QUERY,
  headers: { 'if-none-match': 'the ETag that the caller has: nothing is sent where it is still that' },
  answers: { 200: SHAPE, 304: 'they are as the caller knows them' },
  handle: async ({ settings, query, header }) => {
    const headers = { etag: entityTag(settings.tag) }
    if (isKnown(header('if-none-match'), settings.tag)) return { status: 304, headers }
    return { headers, json: withSchema(shownSettings(settings.current), query) }
  },
})

const changeSettings = endpoint({
  method: 'put',
  path: '/v1/settings',
  summary: 'Change settings by name; null takes one away. In force at once, and after a restart',
  scopes: ['admin'],
  body: z.looseObject({}),
  nulls: 'kept',
  headers: { 'if-match': 'changed only if their ETag is still this one' },
  answers: { 200: SHAPE, 412: 'they are others by now' },
  handle: async ({ settings, body, header }) => {
    const ifMatch = header('if-match')
    const changed =
      ifMatch === null
        ? await settings.change(body)
        : await settings.change(body, tag => mayChange(ifMatch, tag))
    return { headers: { etag: entityTag(settings.tag) }, json: shownSettings(changed) }
  },
})

export const settingsRoutes = [readSettings, changeSettings]
