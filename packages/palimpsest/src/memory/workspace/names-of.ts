import { isId } from '../../log/index.ts'
import { type LayerName, parseDailyKey } from '../../store/index.ts'
import type { FileName } from './workspace-file.ts'

/** The file names of documents. A document whose key holds no valid id has no file. */
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
