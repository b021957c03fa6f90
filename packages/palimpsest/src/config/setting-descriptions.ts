import { SETTINGS } from './schema.ts'
import type { Setting } from './setting.ts'

/** A setting as a page shows it: all that is not a function. */
export type SettingDescription = Pick<
  Setting,
  | 'name'
  | 'type'
  | 'default'
  | 'allowed'
  | 'help'
  | 'reach'
  | 'namespace'
  | 'freeWithKey'
  | 'presets'
  | 'environment'
> & {
  /** Never shown: only whether it is set. */
  readonly secret: boolean
}

export const SETTING_DESCRIPTIONS: readonly SettingDescription[] = SETTINGS.map(
  ({
    name,
    type,
    default: usual,
    allowed,
    help,
    reach,
    namespace,
    environment,
    secret = false,
    ...rest
  }) => ({
    ...{ name, type, default: usual, allowed, help, reach, namespace, environment, secret },
    ...(rest.freeWithKey && { freeWithKey: rest.freeWithKey }),
    ...(rest.presets && { presets: rest.presets }),
  }),
)
