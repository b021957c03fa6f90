import { defineTexts } from '../../language/language.ts'
import { Empty } from '../../ui/notice.tsx'
import { type Block, markdownBlocks } from './markdown-blocks.ts'

const useTexts = defineTexts({ en: { empty: 'It is empty.' }, zh: { empty: '内容为空。' } })

/** A document to read. It becomes elements with text, never HTML: any writer may have written it. */
export function DocumentText({ content }: { readonly content: string }) {
  const texts = useTexts()
  const blocks = markdownBlocks(content)
  if (blocks.length === 0) return <Empty>{texts.empty}</Empty>
  return (
    <div class="memory-text">
      {blocks.map((block, place) => (
        <BlockView key={place} block={block} />
      ))}
    </div>
  )
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />
    case 'list':
      return (
        <ul>
          {block.items.map(({ depth, text }, place) => (
            <li key={place} class={`depth-${depth}`} dir="auto">
              {text}
            </li>
          ))}
        </ul>
      )
    case 'code':
      return <pre dir="auto">{block.text}</pre>
    case 'paragraph':
      return <p dir="auto">{block.text}</p>
  }
}

/** The document's own heading is the `h2` of the page, so these begin at `h3`. */
function Heading({ level, text }: { readonly level: number; readonly text: string }) {
  if (level === 1) return <h3 class="top-heading">{text}</h3>
  if (level === 2) return <h4>{text}</h4>
  return <h5>{text}</h5>
}
