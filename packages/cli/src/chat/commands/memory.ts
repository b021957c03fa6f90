import { InvalidArgumentError } from 'palimpsest/internals/errors'
import type { MemoryDocument } from 'palimpsest/internals/memory/index'
import { LAYERS, type LayerName } from 'palimpsest/internals/store/index'
import { inertText } from '../../inert-text.ts'
import { titleOf } from '../../memory-text.ts'
import type { ChatCommand, CommandContext } from './command.ts'

export const memoryCommand: ChatCommand = {
  name: 'memory',
  takes: '[layer]',
  help: `what is remembered of this chat and of you; or one of ${LAYERS.join(', ')}`,
  run: async (rest, context) => {
    const layer = rest.toLowerCase()
    if (layer !== '' && !LAYERS.includes(layer as LayerName))
      throw new InvalidArgumentError('/memory', rest, LAYERS.join(', '))
    const wanted = await documentsOf(context)
    const asked = layer === '' ? wanted.filter(({ layer }) => OWN.includes(layer)) : wanted
    const shown: { layer: LayerName; key: string; version: number; content: string }[] = []
    for (const document of asked.filter(document => layer === '' || document.layer === layer)) {
      const read = await document.read()
      if (read) shown.push(read)
    }
    const json = {
      documents: shown.map(({ layer, key, version, content }) => ({ layer, key, version, content })),
    }
    if (shown.length === 0) return { text: nothingText(layer), json }
    return { text: shown.map(documentText).join('\n\n'), json }
  },
}

/** The layers about this chat and this person, which `/memory` shows where no layer is named. */
const OWN: readonly LayerName[] = ['user', 'scope', 'chat', 'daily']

async function documentsOf({
  palimpsest,
  session,
  user,
}: CommandContext): Promise<readonly MemoryDocument[]> {
  const { memory } = palimpsest
  const info = await session.info()
  return [
    memory.persona,
    memory.global,
    ...(user !== null ? [memory.user(user)] : []),
    ...(info?.scope ? [memory.scope(info.scope)] : []),
    memory.chat(session.id),
    memory.daily(session.id),
  ]
}

function documentText({
  content,
  ...name
}: {
  layer: string
  key: string
  version: number
  content: string
}) {
  return `── ${titleOf(name)}, version ${name.version}\n${inertText(content.trimEnd())}`
}

function nothingText(layer: string): string {
  return layer === ''
    ? 'Nothing is remembered yet beside the chat itself. Folds and extractions write memory, and palimpsest memory edit does.'
    : `There is no ${layer} memory yet.`
}
