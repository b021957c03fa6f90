import { defineTexts } from '../../../language/language.ts'

/** The columns of the table of folds. On a narrow screen each value has its column's name beside it. */
export const useColumns = defineTexts({
  en: {
    when: 'When',
    messages: 'Messages',
    why: 'Why',
    outcome: 'Outcome',
    tokens: 'Tokens',
    took: 'Took',
    cost: 'Cost',
  },
  zh: {
    when: '时间',
    messages: '消息',
    why: '原因',
    outcome: '结果',
    tokens: '词元',
    took: '耗时',
    cost: '费用',
  },
})
