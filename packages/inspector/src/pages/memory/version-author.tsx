import type { DocumentVersion, Layer } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'

const useTexts = defineTexts({
  en: {
    person: 'person',
    file: 'person, in the file',
    fork: 'fork',
    tool: 'tool',
    extraction: 'extraction',
    fold: 'fold',
    condensed: 'condensed to fit its budget',
    rollback: 'rollback',
  },
  zh: {
    person: '人',
    file: '人（在文件中）',
    fork: '分叉',
    tool: '工具',
    extraction: '提取',
    fold: '折叠',
    condensed: '为符合预算而压缩',
    rollback: '回滚',
  },
})

/**
 * The author of a version: the kind and, if it says more, the name of the person, the tool or the summariser.
 */
export function VersionAuthor({
  author,
  layer,
}: {
  readonly author: DocumentVersion['author']
  readonly layer: Layer
}) {
  const texts = useTexts()
  const way = wayOf(author, layer)
  const name = way === author.kind || way === 'fold' ? author.name : null
  return (
    <>
      <span class={`chip ${author.kind === 'person' ? 'good' : ''}`}>
        {way in texts ? texts[way as keyof typeof texts] : way}
      </span>
      {name && <bdi class="memory-author">{name}</bdi>}
    </>
  )
}

function wayOf({ kind, name }: DocumentVersion['author'], layer: Layer): string {
  if (kind === 'person' && (name === 'file' || name === 'fork')) return name
  if (kind !== 'extraction') return kind
  if (name === 'condensed') return name
  // The memory of a chat is learned in a fold. The memory of people and workspaces is learned in a separate
  // extraction.
  return layer === 'chat' || layer === 'daily' ? 'fold' : kind
}
