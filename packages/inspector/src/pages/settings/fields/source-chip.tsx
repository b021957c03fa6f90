import { defineTexts } from '../../../language/language.ts'

const useTexts = defineTexts({
  en: {
    stored: 'stored',
    environment: 'environment',
    default: 'default',
    operator: 'operator',
    unsaved: 'not saved yet',
    explained: {
      stored: 'saved on the server; it survives a restart',
      environment: 'an environment variable of the server; what is saved here goes before it',
      default: 'nobody has set it',
      operator: 'the operator of the server allows no more',
      unsaved: 'in force only after saving',
    } as Readonly<Record<string, string>>,
  },
  zh: {
    stored: '已保存',
    environment: '环境变量',
    default: '默认',
    operator: '运营方',
    unsaved: '尚未保存',
    explained: {
      stored: '保存在服务器上，重启后仍有效',
      environment: '服务器的环境变量；在此保存的值优先',
      default: '没有人设置过',
      operator: '服务器的运营方不允许更高的值',
      unsaved: '保存之后才生效',
    },
  },
})

const LOOKS: Readonly<Record<string, string>> = { stored: 'good', unsaved: 'warn' }

/** Where a value comes from now. */
export function SourceChip({ source }: { readonly source: string }) {
  const texts = useTexts()
  const names: Readonly<Record<string, unknown>> = texts
  return (
    <span class={`chip ${LOOKS[source] ?? ''}`} title={texts.explained[source]}>
      {String(names[source] ?? source)}
    </span>
  )
}
