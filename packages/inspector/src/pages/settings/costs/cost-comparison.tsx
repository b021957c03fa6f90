import type { ReplayAnswer } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { Spinner } from '../../../ui/loading.tsx'
import { usePresetTexts } from '../policy/preset-texts.ts'
import { PRESETS, type Preset } from '../policy/presets.ts'
import type { Replayed } from '../use-replay.ts'
import { costFigures, timesAsMuch } from './cost-figures.ts'
import { CostRow } from './cost-row.tsx'
import { formatMoney } from './format-money.ts'
import { useNumbersInWords } from './numbers-in-words.ts'

const useTexts = defineTexts({
  en: {
    title: 'What it costs',
    about: ({ messages, turns, prices }: Record<'messages' | 'turns' | 'prices', string>) =>
      `Each preset with its present numbers, replayed on the same sample conversation (${turns} turns, ${messages} messages) at the prices of ${prices}, summaries included, scaled to 1,000 turns.`,
    with: ({ numbers, money }: Record<'numbers' | 'money', string>) =>
      `With ${numbers}, a turn costs about ${money}`,
    more: (times: string) =>
      `; sending everything each time would cost ${times} times as much. The longer a conversation gets, the larger this difference.`,
    same: '; sending everything each time would cost about the same in so short a conversation.',
    less: (percent: string) =>
      `; sending everything each time would cost only ${percent} of that in so short a conversation.`,
    columns: {
      name: 'Preset',
      money: 'Per 1,000 turns',
      cached: 'From cache',
      mean: 'Mean context',
      peak: 'Peak',
      calls: 'Summaries',
    },
    everything: 'No memory',
    everythingAbout: 'everything, each time',
  },
  zh: {
    title: '花费多少',
    about: ({ messages, turns, prices }) =>
      `每个方案按当前数值，在同一段示例对话（${turns} 轮，${messages} 条消息）上重放，采用 ${prices} 的价格，含摘要费用，折算为 1,000 轮。`,
    with: ({ numbers, money }) => `采用 ${numbers} 时，一轮约 ${money}`,
    more: times => `；每次发送全部内容则要花 ${times} 倍。对话越长，差距越大。`,
    same: '；在这么短的对话中，每次发送全部内容花费相近。',
    less: percent => `；在这么短的对话中，每次发送全部内容只需其 ${percent}。`,
    columns: {
      name: '方案',
      money: '每 1,000 轮',
      cached: '缓存命中',
      mean: '平均上下文',
      peak: '峰值',
      calls: '摘要次数',
    },
    everything: '没有记忆',
    everythingAbout: '每次发送全部',
  },
})

/** What each preset costs with its present numbers, and what a bot without memory would cost. */
export function CostComparison({
  replays,
  edited,
  inForce,
}: {
  readonly replays: Readonly<Record<Preset, Replayed>>
  readonly edited: Preset
  readonly inForce: string
}) {
  const texts = useTexts()
  const presetTexts = usePresetTexts()
  const inWords = useNumbersInWords()
  const { number } = useFormats()
  const answers = PRESETS.flatMap(preset => replays[preset].answer ?? [])
  const some = replays[edited].answer ?? answers[0]
  if (some === undefined) return PRESETS.some(preset => replays[preset].isPending) ? <Spinner /> : null
  const currency = some.prices.currency ?? '$'
  const everything = costFigures(some.baseline, some.turns)
  const rows = answers.map(answer => ({ answer, figures: costFigures(answer, answer.turns) }))
  const most = Math.max(everything.perThousandTurns, ...rows.map(({ figures }) => figures.perThousandTurns))
  return (
    <section class="card settings-costs" aria-labelledby="settings-costs">
      <header>
        <h2 id="settings-costs">{texts.title}</h2>
        {replays[edited].answer && <Sentence answer={replays[edited].answer} />}
      </header>
      <table class="cost-table">
        <thead>
          <tr>
            <th scope="col">{texts.columns.name}</th>
            <th scope="col">{texts.columns.money}</th>
            <th scope="col" class="number">
              {texts.columns.cached}
            </th>
            <th scope="col" class="number">
              {texts.columns.mean}
            </th>
            <th scope="col" class="number">
              {texts.columns.peak}
            </th>
            <th scope="col" class="number">
              {texts.columns.calls}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ answer, figures }) => (
            <CostRow
              key={answer.policy}
              name={presetTexts[answer.policy as Preset]?.title ?? answer.policy}
              about={inWords(answer)}
              figures={figures}
              columns={texts.columns}
              share={figures.perThousandTurns / most}
              currency={currency}
              isEdited={answer.policy === edited}
              isInForce={answer.policy === inForce}
            />
          ))}
          <CostRow
            name={texts.everything}
            about={texts.everythingAbout}
            figures={everything}
            columns={texts.columns}
            share={everything.perThousandTurns / most}
            currency={currency}
            isBaseline
          />
        </tbody>
      </table>
      <p class="hint">
        {texts.about({
          messages: number(some.messages),
          turns: number(some.turns),
          prices: some.prices.name,
        })}
      </p>
    </section>
  )
}

function Sentence({ answer }: { readonly answer: ReplayAnswer }) {
  const texts = useTexts()
  const inWords = useNumbersInWords()
  const { percent } = useFormats()
  const times = timesAsMuch(answer)
  const { perTurn } = costFigures(answer, answer.turns)
  const comparison =
    times >= 1.1
      ? texts.more(String(Number(times.toPrecision(2))))
      : times > 0.9
        ? texts.same
        : texts.less(percent(times))
  return (
    <p class="cost-sentence">
      {texts.with({ numbers: inWords(answer), money: formatMoney(perTurn, answer.prices.currency ?? '$') })}
      {comparison}
    </p>
  )
}
