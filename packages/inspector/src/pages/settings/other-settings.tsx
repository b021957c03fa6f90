import type { SettingDescription } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { Disclosure } from './disclosure.tsx'
import { type FieldState, SettingField } from './fields/setting-field.tsx'
import { GROUPS, type Group, groupOf } from './other-groups.ts'
import { StartSettings } from './start-settings.tsx'

const useTexts = defineTexts<Readonly<Record<Group, { title: string; about: string }>> & { title: string }>({
  en: {
    title: 'Everything else',
    model: {
      title: 'Model and summaries',
      about: 'Who writes the summaries. Without a model: the built-in one, which asks nobody.',
    },
    memory: { title: 'Memory budgets', about: 'How much of each memory document the model is shown.' },
    extraction: {
      title: 'Extraction, people and time',
      about: 'What is noted about people, and how turns and times are read.',
    },
    limits: { title: 'Limits', about: 'What one caller may ask of the server.' },
    other: { title: 'Other', about: '' },
    start: {
      title: 'Only at the start',
      about:
        'Set by the environment or the command line when the server starts; they cannot be changed here.',
    },
  },
  zh: {
    title: '其他设置',
    model: { title: '模型与摘要', about: '由谁撰写摘要。没有模型时使用内置的，不询问任何人。' },
    memory: { title: '记忆预算', about: '每种记忆文档展示给模型多少。' },
    extraction: { title: '提取、人物与时间', about: '记下关于人的什么，以及如何理解轮次和时间。' },
    limits: { title: '限制', about: '一个调用者可以向服务器要求多少。' },
    other: { title: '其他', about: '' },
    start: { title: '仅在启动时', about: '服务器启动时由环境变量或命令行设定，不能在此更改。' },
  },
})

/** All settings that do not decide when to fold, in closed groups. */
export function OtherSettings({
  schema,
  settings,
  fieldOf,
}: {
  readonly schema: readonly SettingDescription[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly fieldOf: (description: SettingDescription) => FieldState
}) {
  const texts = useTexts()
  const others = schema.filter(({ name, presets }) => name !== 'policy' && presets === undefined)
  const start = others.filter(description => groupOf(description) === 'start')
  return (
    <section class="settings-others" aria-labelledby="settings-others">
      <h2 id="settings-others">{texts.title}</h2>
      {GROUPS.map(group => {
        const members = others.filter(description => groupOf(description) === group)
        if (members.length === 0) return null
        const fields = members.map(description => ({ description, field: fieldOf(description) }))
        const hasProblem = fields.some(({ field }) => field.problem !== null)
        return (
          <Disclosure
            key={group}
            look="card settings-group"
            isNeeded={hasProblem}
            summary={<GroupHead {...texts[group]} />}
          >
            <div class="settings-fields">
              {fields.map(({ description, field }) => (
                <SettingField key={description.name} description={description} field={field} />
              ))}
            </div>
          </Disclosure>
        )
      })}
      {start.length > 0 && (
        <Disclosure look="card settings-group" summary={<GroupHead {...texts.start} />}>
          <StartSettings descriptions={start} settings={settings} />
        </Disclosure>
      )}
    </section>
  )
}

function GroupHead({ title, about }: { readonly title: string; readonly about: string }) {
  return (
    <span class="settings-group-head">
      <span class="settings-group-title">{title}</span>
      <span class="hint">{about}</span>
    </span>
  )
}
