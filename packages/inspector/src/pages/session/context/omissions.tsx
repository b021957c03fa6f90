import type { Omission } from '../../../api/types.ts'
import { defineTexts, type Formats, useFormats } from '../../../language/language.ts'
import { linkTo } from '../../../routes.ts'

interface Texts {
  readonly title: string
  readonly nothing: string
  readonly hint: string
  readonly what: Readonly<Record<string, (count: string) => string>>
  readonly why: Readonly<Record<string, string>>
  readonly range: (from: string, to: string) => string
}

const useTexts = defineTexts<Texts>({
  en: {
    title: 'Left out',
    nothing: 'Nothing: every message is here as it was said, or stands in a segment that is here.',
    hint: 'Nothing of it is lost: it is all in the log, and back in a larger context.',
    what: {
      messages: count => `${count} messages are not shown as they were said, only by their main points`,
      segments: count => `${count} segments`,
      pins: count => `${count} pinned messages`,
      'tool-result': count => `the long tool results of ${count} messages, each shown as one line`,
      text: () => 'the middle of a long message',
      reasoning: count => `the model’s thoughts in ${count} messages`,
      memory: count => `parts of ${count} memory documents`,
    },
    why: {
      over_budget: 'there is no room in the budget',
      context_size: 'the policy shows no more messages than that',
      oversized: 'it alone would take too much of the budget',
      old_tool_result: 'they are old, and what was made of them is still there',
      not_sent: 'another model cannot read them',
    },
    range: (from, to) => (from === to ? `message ${from}` : `messages ${from}–${to}`),
  },
  zh: {
    title: '未包含的内容',
    nothing: '没有遗漏：每条消息要么逐字在此，要么在此处的片段中。',
    hint: '没有任何丢失：全部都在日志里，预算更大时会重新出现。',
    what: {
      messages: count => `${count} 条消息未逐字显示，仅保留要点`,
      segments: count => `${count} 个片段`,
      pins: count => `${count} 条置顶消息`,
      'tool-result': count => `${count} 条消息中的长工具结果，各以一行代替`,
      text: () => '一条长消息的中间部分',
      reasoning: count => `${count} 条消息中模型的思考`,
      memory: count => `${count} 份记忆文档的部分内容`,
    },
    why: {
      over_budget: '预算中放不下',
      context_size: '策略只显示这么多消息',
      oversized: '单独一条就会占用过多预算',
      old_tool_result: '它们较旧，而由此得出的内容仍在',
      not_sent: '其他模型无法读取',
    },
    range: (from, to) => (from === to ? `消息 ${from}` : `消息 ${from}–${to}`),
  },
})

export function Omissions({
  sessionId,
  omitted,
}: {
  readonly sessionId: string
  readonly omitted: readonly Omission[]
}) {
  const texts = useTexts()
  const formats = useFormats()
  return (
    <section>
      <h2>{texts.title}</h2>
      {omitted.length === 0 ? (
        <p class="soft">{texts.nothing}</p>
      ) : (
        <>
          <ul class="context-notes">
            {omitted.map((omission, place) => (
              <li key={place}>
                <OmissionLine {...{ sessionId, omission, texts, formats }} />
              </li>
            ))}
          </ul>
          <p class="hint">{texts.hint}</p>
        </>
      )}
    </section>
  )
}

function OmissionLine({
  sessionId,
  omission: { what, reason, fromSeq, toSeq, count },
  texts,
  formats: { number },
}: {
  readonly sessionId: string
  readonly omission: Omission
  readonly texts: Texts
  readonly formats: Formats
}) {
  return (
    <>
      {texts.what[what]?.(number(count)) ?? `${what}: ${number(count)}`}
      {fromSeq > 0 && (
        <>
          {' ('}
          <a href={linkTo(['sessions', sessionId, 'strata'], { seq: String(fromSeq) })}>
            {texts.range(number(fromSeq), number(toSeq))}
          </a>
          )
        </>
      )}
      <span class="soft"> – {texts.why[reason] ?? reason}</span>
    </>
  )
}
