import { z } from '@hono/zod-openapi'
import { SETTING_DESCRIPTIONS } from 'palimpsest/internals/config/index'
import { oneOf } from './fields.ts'

/** For calls that read settings: whether the answer describes each setting, too. */
export const SCHEMA_QUERY = z.strictObject({
  schema: oneOf(['true', 'false']).optional().openapi({
    description:
      'true: with `schema`, a list of { name, type, default, allowed, help, reach, namespace, freeWithKey, presets, environment, secret }',
  }),
})

export function withSchema<Shown extends object>(shown: Shown, query: z.output<typeof SCHEMA_QUERY>) {
  return query.schema === 'true' ? { ...shown, schema: SETTING_DESCRIPTIONS } : shown
}
