import { useMemo } from 'preact/hooks'
import type { ReplayAnswer } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { Spinner } from '../../../ui/loading.tsx'
import type { Replayed } from '../use-replay.ts'
import { useReasons } from './reasons.ts'
import { rhythmOf, typicalStep } from './rhythm.ts'
import { RhythmDrawing } from './rhythm-drawing.tsx'

const useTexts = defineTexts({
  en: {
    title: 'What the model sees, message by message',
    keys: { tail: 'newest, in full', backlog: 'waiting to be folded', segment: 'summary of what was folded' },
    rounds: ({ a, b, sum }: Record<'a' | 'b' | 'sum', string>) =>
      b === '1'
        ? `${sum} turns complete → the oldest is folded into a summary, ${a} ${a === '1' ? 'stays' : 'stay'} in full. Then again after every turn.`
        : `${sum} turns complete → the oldest ${b} are folded into one summary, ${a} ${a === '1' ? 'stays' : 'stay'} in full. Then again after every ${b}.`,
    fold: ({ at, from, to, stays, reason }: Record<'at' | 'from' | 'to' | 'stays' | 'reason', string>) =>
      `At message ${at} ${reason} → ${from === to ? `message ${from} becomes` : `messages ${from} to ${to} become`} one summary, and ${stays} stay in full.`,
    never: (messages: string) =>
      `Nothing is ever folded in a conversation of ${messages} messages: all of it is sent as it was said.`,
    alternative: (caption: string, at: string) =>
      `A drawing of the rhythm, a sawtooth. ${caption}${at === '' ? '' : ` Folds at messages ${at}.`}`,
    groups: (size: string) => `Each column stands for ${size} messages.`,
    sample: (messages: string) => `Found by replaying a sample conversation of ${messages} messages.`,
    reason: 'it was time',
  },
  zh: {
    title: '模型看到的内容，逐条消息',
    keys: { tail: '最新，原文', backlog: '等待折叠', segment: '已折叠内容的摘要' },
    rounds: ({ a, b, sum }) =>
      `${sum} 轮完成 → 最早的 ${b} 轮折叠成一份摘要，${a} 轮保留原文。之后每 ${b} 轮重复一次。`,
    fold: ({ at, from, to, stays, reason }) =>
      `第 ${at} 条消息时${reason} → 第 ${from === to ? from : `${from} 至 ${to}`} 条折叠成一份摘要，${stays} 条保留原文。`,
    never: messages => `在 ${messages} 条消息的对话中不会折叠：全部按原文发送。`,
    alternative: (caption, at) =>
      `节奏示意图，呈锯齿形。${caption}${at === '' ? '' : `在第 ${at} 条消息时折叠。`}`,
    groups: size => `每一列代表 ${size} 条消息。`,
    sample: messages => `由服务器重放一段 ${messages} 条消息的示例对话得出。`,
    reason: '到了时候',
  },
})

/** The rhythm of the numbers on the screen. The last drawing stays until the next answer is there. */
export function RhythmFigure({ replayed }: { readonly replayed: Replayed }) {
  const texts = useTexts()
  const { answer, isPending, error } = replayed
  if (answer === null)
    return (
      <figure class="rhythm">{error === null ? <Spinner /> : <figcaption>{texts.title}</figcaption>}</figure>
    )
  return (
    <figure class={`rhythm ${isPending || error !== null ? 'old' : ''}`} aria-busy={isPending}>
      <Shown answer={answer} />
    </figure>
  )
}

function Shown({ answer }: { readonly answer: ReplayAnswer }) {
  const texts = useTexts()
  const { number } = useFormats()
  const rhythm = useMemo(() => rhythmOf(answer), [answer])
  const caption = useCaption(answer, rhythm.steps)
  const at = rhythm.steps.map(step => number(step.at)).join(', ')
  const turns = turnsOf(answer)
  return (
    <>
      <figcaption>
        <span class="rhythm-title">{texts.title}</span>
        <span class="rhythm-caption">{caption}</span>
      </figcaption>
      <RhythmDrawing rhythm={rhythm} turns={turns} alternative={texts.alternative(caption, at)} />
      <ul class="rhythm-keys">
        {(['tail', 'backlog', 'segment'] as const).map(key => (
          <li key={key}>
            <span class={`rhythm-swatch ${key}`} aria-hidden="true" />
            {texts.keys[key]}
          </li>
        ))}
      </ul>
      <p class="hint">
        {rhythm.groupSize > 1 && `${texts.groups(number(rhythm.groupSize))} `}
        {texts.sample(number(answer.messages))}
      </p>
    </>
  )
}

function useCaption(answer: ReplayAnswer, steps: ReturnType<typeof rhythmOf>['steps']): string {
  const texts = useTexts()
  const reasons = useReasons()
  const { number } = useFormats()
  const turns = turnsOf(answer)
  const first = typicalStep(steps)
  if (first === undefined) return texts.never(number(answer.messages))
  if (turns !== null)
    return texts.rounds({
      a: number(turns.a),
      b: number(turns.b),
      sum: number(turns.a + turns.b),
    })
  const fold = answer.folds.find(({ at, toSeq }) => at === first.at && toSeq !== null)
  return texts.fold({
    at: number(first.at),
    from: number(first.fromSeq),
    to: number(first.toSeq),
    stays: number(first.stays),
    reason: reasons[fold?.reason ?? ''] ?? texts.reason,
  })
}

/** A and B, if only complete turns cause folds. */
function turnsOf({ policy, settings, folds }: ReplayAnswer): { a: number; b: number } | null {
  const isByTurns = policy === 'rounds' && folds.every(({ reason }) => reason === 'rounds')
  const a = Number(settings['fullContextTurns'])
  const b = Number(settings['cachedContextTurns'])
  return isByTurns && Number.isFinite(a + b) ? { a, b } : null
}
