import { SETTINGS } from './schema.ts'
import type { Setting } from './setting.ts'

/** A setting as a page shows it: everything but the functions. */
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
  /** The value is never shown, only whether it is set. */
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
