import { defineTexts } from '../../language/language.ts'
import { ErasureForm } from './erasure-form.tsx'
import { OpenReceipt } from './open-receipt.tsx'
import { ReceiptPanel } from './receipt-panel.tsx'
import './erasure.css'

const useTexts = defineTexts({
  en: {
    title: 'Erasure',
    about: [
      'Folding, editing and rolling back lose nothing; an erasure takes what you name from everywhere it went: messages and their versions, summaries, memory, the search index, files, and the bytes of the database. ',
      'It cannot be undone.',
      ' Backups, and whatever other programs have copied, are beyond its reach.',
    ],
  },
  zh: {
    title: '删除',
    about: [
      '折叠、编辑和回滚不会丢失任何内容；删除则会从所有去处清除您指定的内容：消息及其版本、摘要、记忆、搜索索引、文件，以及数据库中的字节。',
      '删除无法撤销。',
      '备份以及其他程序复制的内容不在其范围内。',
    ],
  },
})

export function ErasuresPage({
  id,
  query,
}: {
  readonly id: string | undefined
  readonly query: Readonly<Record<string, string>>
}) {
  const texts = useTexts()
  const [does, isFinal, beyond] = texts.about
  return (
    <div class="erasure-page">
      <header class="page-head">
        <h1>{texts.title}</h1>
      </header>
      {id !== undefined ? (
        <ReceiptPanel key={id} id={id} />
      ) : (
        <>
          <p class="erasure-about">
            {does}
            <b>{isFinal}</b>
            {beyond}
          </p>
          {/* A link that names a target starts the form anew. */}
          <ErasureForm key={JSON.stringify(query)} query={query} />
          <OpenReceipt />
        </>
      )}
    </div>
  )
}
