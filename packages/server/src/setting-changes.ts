import { findSetting, type Layer, readLayer, SETTINGS, tryLayer } from 'palimpsest/internals/config/index'
import { OBJECT_NAMES, withFlatNames } from 'palimpsest/internals/older-names'

/**
 * Checks the changes that a caller asks for, and turns them into what a store takes. Settings have their
 * newest names; `null` takes one away. Values stored under an older name are taken away, too.
 */
export function settingChanges(
  written: Layer,
  reach: 'server' | 'session',
): { readonly layer: Layer; readonly removed: readonly string[]; readonly changes: Layer } {
  const layer = readLayer(written, reach)
  const given = withFlatNames(written)
  const removed = Object.keys(given)
    .filter(name => given[name] === null)
    .map(name => findSetting(name)!.name)
    .filter(name => !(name in layer))
  const touched = SETTINGS.filter(({ name }) => name in layer || removed.includes(name))
  const aliases = touched.flatMap(setting => setting.aliases)
  const changes = {
    ...Object.fromEntries([...removed, ...aliases].map(name => [name, null])),
    // In a store `null` takes a setting away, so no value is written as `none`.
    ...Object.fromEntries(Object.entries(layer).map(([name, value]) => [name, value ?? 'none'])),
  }
  return { layer, removed: [...removed, ...aliases], changes }
}

/**
 * The further changes that are needed if a store holds older names as objects, for
 * example `agent.contextWindow`. Their content moves to the newest names, so that a
 * setting that is taken away does not come back.
 */
export function settledObjects(stored: Layer, reach: 'server' | 'session'): Layer {
  const objects = Object.keys(stored).filter(name => OBJECT_NAMES.includes(name))
  if (objects.length === 0) return {}
  const inside = Object.fromEntries(objects.map(name => [name, stored[name]]))
  const values = Object.entries(tryLayer(inside, reach).layer).filter(
    ([name]) => !Object.hasOwn(stored, name),
  )
  return {
    ...Object.fromEntries(objects.map(name => [name, null])),
    ...Object.fromEntries(values.map(([name, value]) => [name, value ?? 'none'])),
  }
}
