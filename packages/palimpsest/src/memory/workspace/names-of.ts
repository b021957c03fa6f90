import { isId } from '../../log/index.ts'
import { type LayerName, parseDailyKey } from '../../store/index.ts'
import type { FileName } from './workspace-file.ts'

/** Of those that can have a file: all but such as have no id for a key. */
export function* namesOf(documents: readonly { layer: LayerName; key: string }[]): Generator<FileName> {
  for (const { layer, key } of documents) {
    if (layer !== 'daily') {
      if (isId(key) || layer === 'persona' || layer === 'global') yield { layer, key }
      continue
    }
    const parsed = parseDailyKey(key)
    if (parsed && isId(parsed.sessionId)) yield { layer, day: parsed.day }
  }
}
