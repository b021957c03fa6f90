import type { ErasureReceipt } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { usePlaceTexts } from './use-place-texts.ts'

const useTexts = defineTexts({
  en: {
    where: 'Where',
    count: 'How many',
    state: 'State',
    states: { done: 'done', pending: 'pending' } as Record<string, string>,
    nothingIn: 'Nothing was there to erase in:',
    files:
      'Memory is kept as files, too, and no process with that folder is running: start one with the workspace.',
    vacuum:
      'The program’s role may not vacuum these tables, so deleted rows are still in their files. Run this in the database as their owner or as a superuser; the receipt is done by itself then:',
  },
  zh: {
    where: '位置',
    count: '数量',
    state: '状态',
    states: { done: '完成', pending: '进行中' },
    nothingIn: '以下位置没有可删除的内容：',
    files: '记忆也以文件保存，而没有进程在使用该文件夹：请启动一个带工作区的进程。',
    vacuum:
      '程序所用的角色无权清理（VACUUM）这些表，已删除的行仍留在其文件中。请以表的所有者或超级用户身份在数据库中执行以下语句，之后回执会自行完成：',
  },
})

type Place = ErasureReceipt['places'][number]

export function ReceiptPlaces({ places }: { readonly places: readonly Place[] }) {
  const texts = useTexts()
  const names = usePlaceTexts()
  const { number } = useFormats()
  const nameOf = (place: string) => names[place] ?? place
  const isTelling = ({ place, count, state }: Place) => count > 0 || state !== 'done' || place === 'database'
  const silent = places.filter(place => !isTelling(place))
  return (
    <>
      <table class="receipt-places">
        <thead>
          <tr>
            <th scope="col">{texts.where}</th>
            <th scope="col" class="number">
              {texts.count}
            </th>
            <th scope="col">{texts.state}</th>
          </tr>
        </thead>
        <tbody>
          {places.filter(isTelling).map(({ place, count, state, note, statement }) => (
            <tr key={place}>
              <td>
                {nameOf(place)}
                {note !== undefined && (
                  <p class="hint">
                    {place === 'files' ? texts.files : statement === undefined ? note : texts.vacuum}
                  </p>
                )}
                {statement !== undefined && <code class="receipt-statement">{statement}</code>}
              </td>
              <td class="number">{place === 'database' ? '–' : number(count)}</td>
              <td>
                <span class={`chip ${state === 'done' ? 'good' : 'warn'}`}>
                  {texts.states[state] ?? state}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {silent.length > 0 && (
        <p class="hint">
          {texts.nothingIn} {silent.map(({ place }) => nameOf(place)).join(' · ')}
        </p>
      )}
    </>
  )
}
