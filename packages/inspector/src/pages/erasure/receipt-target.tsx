import type { ErasureReceipt } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'

const useTexts = defineTexts({
  en: {
    forgotten: 'All is over: the receipt no longer says whom or what it was about.',
    messages: (seqs: string) => `Message ${seqs} of session`,
    session: 'Session',
    person: 'Person',
    namespace: 'Everything',
  },
  zh: {
    forgotten: '一切已完成：回执不再说明涉及谁或什么。',
    messages: (seqs: string) => `消息 ${seqs}，会话`,
    session: '会话',
    person: '人物',
    namespace: '全部内容',
  },
})

/** What an erasure is about, as long as the server knows it. */
export function ReceiptTarget({ target }: Pick<ErasureReceipt, 'target'>) {
  const texts = useTexts()
  if (target === null) return <p class="hint">{texts.forgotten}</p>
  const { kind, sessionId, id, seqs } = target
  const what = {
    messages: texts.messages(Array.isArray(seqs) ? seqs.join(', ') : ''),
    session: texts.session,
    person: texts.person,
    namespace: texts.namespace,
  }[String(kind)]
  return (
    <p class="receipt-target">
      {what ?? String(kind)} <bdi class="code">{String(sessionId ?? id ?? '')}</bdi>
    </p>
  )
}
