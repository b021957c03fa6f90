import { findSetting, type Layer, readLayer, SETTINGS } from '../config/index.ts'

/**
 * What somebody asks to be changed, checked, as a store takes it: under the newest names, `null` where one is to be
 * taken away. What was stored under an older name goes, too.
 */
export function settingChanges(
  given: Layer,
  reach: 'server' | 'request',
): { readonly layer: Layer; readonly removed: readonly string[]; readonly changes: Layer } {
  const layer = readLayer(given, reach)
  const removed = Object.keys(given)
    .filter(name => given[name] === null)
    .map(name => findSetting(name)!.name)
    .filter(name => !(name in layer))
  const touched = SETTINGS.filter(({ name }) => name in layer || removed.includes(name))
  const aliases = touched.flatMap(setting => setting.aliases)
  const changes = {
    ...Object.fromEntries([...removed, ...aliases].map(name => [name, null])),
    // In a store `null` takes a setting away.
    ...Object.fromEntries(Object.entries(layer).map(([name, value]) => [name, value ?? 'none'])),
  }
  return { layer, removed: [...removed, ...aliases], changes }
}
