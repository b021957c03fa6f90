export { beyondCeilings, paysByItself } from './ceilings.ts'
export { requireClearPolicy } from './choose-policy.ts'
export { describeDefault, describeRight, describeSettings } from './describe-settings.ts'
export { readDuration } from './duration.ts'
export {
  type Environment,
  environmentNamespace,
  type Filled,
  fillIn,
  readEnvironment,
} from './environment.ts'
export { type Layer, namesWithin, readLayer, readStored, tryLayer } from './layers.ts'
export { loadModel } from './load-model.ts'
export {
  describePlace,
  KEY_PLACE,
  type KeyPlace,
  maySend,
  placeIn,
  readPlace,
  writePlace,
} from './model-key.ts'
export { splitModelName } from './model-name.ts'
export {
  type Layers,
  policyOf,
  type Resolved,
  resolveSettings,
  type Source,
  shownSettings,
} from './resolve-settings.ts'
export { findSetting, ownerIds, SETTINGS, type SettingValues } from './schema.ts'
export type { Setting } from './setting.ts'
export { SETTING_DESCRIPTIONS, type SettingDescription } from './setting-descriptions.ts'
