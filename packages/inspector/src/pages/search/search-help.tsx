import { defineTexts } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'

const useTexts = defineTexts({
  en: {
    title: 'What can be searched for',
    about: 'Every message, folded or not, is found by what it says.',
    kinds: [
      [
        'when do we ship',
        'Words, in any form and order. Rare ones count more; not every one has to be there.',
      ],
      ['"ship on Friday"', 'A phrase in quotes: only messages that say just this.'],
      ['发布', 'Chinese, Japanese and Korean, from one character on.'],
      ['ORD-2291', 'Ids, names with signs and addresses, as they stand.'],
      ['Ann ferry', 'What Ann said about it, before what others did.'],
      ['ferry in May 2026', 'What was said then, before the rest.'],
    ],
  },
  zh: {
    title: '可以搜索什么',
    about: '每条消息，无论是否已折叠，都能按内容找到。',
    kinds: [
      ['when do we ship', '词语，不论词形和顺序。罕见的词更重要，不必每个词都出现。'],
      ['"ship on Friday"', '引号中的短语：只找一字不差的消息。'],
      ['发布', '中文、日文和韩文，从一个字开始。'],
      ['ORD-2291', '编号、带符号的名称和网址，照原样查找。'],
      ['Ann ferry', '先列出 Ann 说的，再列出别人说的。'],
      ['5月10日', '先列出那时说的，再列出其余的。'],
    ],
  },
})

export function SearchHelp({ session }: { readonly session: string }) {
  const texts = useTexts()
  return (
    <section class="search-help card">
      <h2>{texts.title}</h2>
      <p class="soft">{texts.about}</p>
      <dl>
        {texts.kinds.map(([example, finds]) => (
          <div key={example}>
            <dt>
              <a href={linkTo(['search'], { q: example!, ...(session !== '' && { session }) })}>{example}</a>
            </dt>
            <dd>{finds}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
