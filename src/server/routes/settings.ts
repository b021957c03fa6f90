import { z } from '@hono/zod-openapi'
import { shownSettings } from '../../config/index.ts'
import { endpoint } from '../endpoint.ts'

const SHAPE = '{ settings: { policy, threshold, … }, sources: { policy: "default", … } }'

const readSettings = endpoint({
  method: 'get',
  path: '/v1/settings',
  summary: 'Every setting with its value and where it comes from',
  answers: { 200: SHAPE },
  handle: async ({ settings }) => ({ json: shownSettings(settings.current) }),
})

const changeSettings = endpoint({
  method: 'put',
  path: '/v1/settings',
  summary: 'Change settings by name; null takes one away. In force at once, and after a restart',
  body: z.looseObject({}),
  nulls: 'kept',
  answers: { 200: SHAPE },
  handle: async ({ settings, body }) => ({ json: shownSettings(await settings.change(body)) }),
})

export const settingsRoutes = [readSettings, changeSettings]
