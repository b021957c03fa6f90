import type { Fold, SpendGuardReport, Usage } from '../../../api/types.ts'
import { defineTexts, type Formats, useFormats } from '../../../language/language.ts'
import { linkTo } from '../../../routes.ts'
import { useFoldReasons, wordsFor } from '../fold-reasons.ts'
import { useColumns } from './fold-columns.ts'

const useTexts = defineTexts({
  en: {
    outcomes: { applied: 'folded', failed: 'failed' },
    memo: 'memo only',
    types: { lite: 'lite', deep: 'deep' } as Readonly<Record<string, string>>,
    condensed: (tokens: string) => `−${tokens} by condensing`,
    noModel: 'no model',
    spent: {
      namespace: {
        calls: (used: string, limit: string) => `limit reached: ${used} of ${limit} calls an hour were made`,
        tokens: (used: string, limit: string) =>
          `limit reached: ${used} of ${limit} tokens an hour were spent`,
      },
      session: {
        calls: (used: string, limit: string) =>
          `limit reached: ${used} of ${limit} calls an hour were made for this session`,
        tokens: (used: string, limit: string) =>
          `limit reached: ${used} of ${limit} tokens an hour were spent on this session`,
      },
    },
    askedAgain: (time: string) => `It is asked again after ${time}.`,
    calls: (count: number, text: string) => (count === 1 ? '1 call' : `${text} calls`),
    inOut: (input: string, output: string) => `${input} in, ${output} out`,
    seconds: (text: string) => `${text} s`,
    milliseconds: (text: string) => `${text} ms`,
    show: (from: string, to: string) => `Show messages ${from}–${to} in the strata`,
  },
  zh: {
    outcomes: { applied: '已折叠', failed: '失败' },
    memo: '仅备忘',
    types: { lite: '轻度', deep: '深度' } as Readonly<Record<string, string>>,
    condensed: (tokens: string) => `压缩再省 ${tokens}`,
    noModel: '未用模型',
    spent: {
      namespace: {
        calls: (used: string, limit: string) => `已达上限：该小时调用 ${used} 次，上限 ${limit} 次`,
        tokens: (used: string, limit: string) => `已达上限：该小时用去 ${used} 词元，上限 ${limit}`,
      },
      session: {
        calls: (used: string, limit: string) => `已达上限：该小时为本会话调用 ${used} 次，上限 ${limit} 次`,
        tokens: (used: string, limit: string) => `已达上限：该小时为本会话用去 ${used} 词元，上限 ${limit}`,
      },
    },
    askedAgain: (time: string) => `${time} 之后会再次调用。`,
    calls: (_: number, text: string) => `${text} 次调用`,
    inOut: (input: string, output: string) => `输入 ${input}，输出 ${output}`,
    seconds: (text: string) => `${text} 秒`,
    milliseconds: (text: string) => `${text} 毫秒`,
    show: (from: string, to: string) => `在地层中查看消息 ${from}–${to}`,
  },
})

/** One fold. On a narrow screen it becomes a card, with the name of each value beside it. */
export function FoldRow({
  sessionId,
  fold,
  condensed,
}: {
  readonly sessionId: string
  readonly fold: Fold
  /** By segment: the tokens saved by condensing older segments into it. */
  readonly condensed: ReadonlyMap<number, number>
}) {
  const texts = useTexts()
  const columns = useColumns()
  const reasons = useFoldReasons()
  const formats = useFormats()
  const { day, time, ago } = formats
  const { at, outcome, type, reason } = fold
  const isApplied = outcome === 'applied'
  const savedBeside = fold.segmentIds.reduce((sum, id) => sum + (condensed.get(id) ?? 0), 0)
  return (
    <tr class={outcome}>
      <td data-name={columns.when}>
        <time dateTime={at} title={ago(at)}>
          {day(at)} <span class="hint">{time(at)}</span>
        </time>
      </td>
      <td data-name={columns.messages}>
        <Range {...{ sessionId, fold, texts, formats }} />
      </td>
      <td data-name={columns.why}>
        <span>
          {wordsFor(isApplied ? reasons.made : reasons.failed, reason)}{' '}
          <span class="chip">{texts.types[type] ?? type}</span>
        </span>
        {fold.spendGuard && <Spent {...{ reached: fold.spendGuard, texts, formats }} />}
      </td>
      <td data-name={columns.outcome}>
        <span class={`chip ${isApplied ? 'good' : 'bad'}`}>
          {isApplied && fold.toSeq === null ? texts.memo : texts.outcomes[outcome]}
        </span>
      </td>
      <td class="number" data-name={columns.tokens}>
        <Saving {...{ fold, formats }} />
        {savedBeside > 0 && <span class="hint">{texts.condensed(formats.number(savedBeside))}</span>}
      </td>
      <td class="number" data-name={columns.took}>
        {durationOf(fold.durationMs, texts, formats)}
      </td>
      <td class="number" data-name={columns.cost}>
        <Cost {...{ usage: fold.usage, texts, formats }} />
      </td>
    </tr>
  )
}

type Texts = ReturnType<typeof useTexts>

function Range({
  sessionId,
  fold: { fromSeq, toSeq, outcome },
  texts,
  formats: { number },
}: {
  readonly sessionId: string
  readonly fold: Fold
  readonly texts: Texts
  readonly formats: Formats
}) {
  if (fromSeq === null || toSeq === null) return <>–</>
  const range = `${number(fromSeq)}–${number(toSeq)}`
  if (outcome === 'failed') return <>{range}</>
  const label = texts.show(number(fromSeq), number(toSeq))
  return (
    <a
      href={linkTo(['sessions', sessionId, 'strata'], { seq: String(fromSeq) })}
      aria-label={label}
      title={label}
    >
      {range}
    </a>
  )
}

/** Why the fold did not call the model, or stopped calling it, and until when. */
function Spent({
  reached: { model, scope, unit, used, limit, until },
  texts,
  formats: { number, day, time },
}: {
  readonly reached: SpendGuardReport
  readonly texts: Texts
  readonly formats: Formats
}) {
  return (
    <span class="hint" title={`${model}. ${texts.askedAgain(`${day(until)} ${time(until)}`)}`}>
      {texts.spent[scope][unit](number(used), number(limit))}
    </span>
  )
}

function Saving({
  fold: { outcome, toSeq, tokensBefore, tokensAfter },
  formats: { number, percent },
}: {
  readonly fold: Fold
  readonly formats: Formats
}) {
  if (tokensBefore === null || toSeq === null) return <>–</>
  if (outcome === 'failed' || tokensAfter === null) return <>{number(tokensBefore)}</>
  const change = (tokensAfter - tokensBefore) / Math.max(1, tokensBefore)
  const rounded = Math.round(100 * change)
  return (
    <span class="saving">
      <span>
        {number(tokensBefore)} → {number(tokensAfter)}
      </span>{' '}
      <b class={rounded < 0 ? 'less' : ''}>
        {rounded === 0 ? '±0%' : `${rounded < 0 ? '−' : '+'}${percent(Math.abs(rounded) / 100)}`}
      </b>
    </span>
  )
}

function Cost({
  usage,
  texts,
  formats: { number, money },
}: {
  readonly usage: Usage | null
  readonly texts: Texts
  readonly formats: Formats
}) {
  if (usage === null) return <span class="soft">{texts.noModel}</span>
  const { model, calls, inputTokens = 0, outputTokens = 0 } = usage
  const cost = usage['cost']
  return (
    <span class="cost">
      {typeof cost === 'number' && cost > 0 && <b>{money(cost)} </b>}
      {model !== undefined && <span>{model} </span>}
      <span class="hint">
        {calls !== undefined && `${texts.calls(calls, number(calls))} · `}
        {texts.inOut(number(inputTokens), number(outputTokens))}
      </span>
    </span>
  )
}

function durationOf(milliseconds: number | null, texts: Texts, { number }: Formats): string {
  if (milliseconds === null) return '–'
  return milliseconds < 1_000
    ? texts.milliseconds(number(Math.round(milliseconds)))
    : texts.seconds(number(Math.round(milliseconds / 100) / 10))
}
