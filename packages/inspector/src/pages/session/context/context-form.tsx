import { useId, useState } from 'preact/hooks'
import { defineTexts } from '../../../language/language.ts'
import { Button } from '../../../ui/button.tsx'

const useTexts = defineTexts({
  en: {
    budget: 'Budget in tokens',
    model: 'Model',
    question: 'Question',
    own: 'its own',
    any: 'any',
    none: 'none: nothing is recalled',
    look: 'Look',
    reset: 'As the next call',
  },
  zh: {
    budget: '预算（词元）',
    model: '模型',
    question: '问题',
    own: '自身设置',
    any: '任意',
    none: '无：不回忆旧消息',
    look: '查看',
    reset: '恢复为下次调用',
  },
})

/** What the context should be computed for. An empty field means what the session has. */
export interface Wishes {
  readonly budget: string
  readonly model: string
  readonly query: string
}

export const NO_WISHES: Wishes = { budget: '', model: '', query: '' }

const DEFAULT_BUDGETS = [4_000, 8_000, 16_000, 32_000, 128_000, 1_000_000]

export function ContextForm({
  wishes,
  onWish,
}: {
  readonly wishes: Wishes
  readonly onWish: (wishes: Wishes) => void
}) {
  const texts = useTexts()
  const id = useId()
  const [typed, setTyped] = useState(wishes)
  const hasWishes = Object.values(typed).some(Boolean) || Object.values(wishes).some(Boolean)
  return (
    <form
      class="context-form"
      onSubmit={event => {
        event.preventDefault()
        onWish({ budget: typed.budget.trim(), model: typed.model.trim(), query: typed.query.trim() })
      }}
    >
      <div class="budget">
        <label for={`${id}-budget`}>{texts.budget}</label>
        <input
          id={`${id}-budget`}
          type="number"
          min="1"
          step="1"
          list={`${id}-budgets`}
          placeholder={texts.own}
          value={typed.budget}
          onInput={event => setTyped({ ...typed, budget: event.currentTarget.value })}
        />
        <datalist id={`${id}-budgets`}>
          {DEFAULT_BUDGETS.map(budget => (
            <option key={budget} value={budget} />
          ))}
        </datalist>
      </div>
      <div class="model">
        <label for={`${id}-model`}>{texts.model}</label>
        <input
          id={`${id}-model`}
          autocomplete="off"
          spellcheck={false}
          placeholder={texts.any}
          value={typed.model}
          onInput={event => setTyped({ ...typed, model: event.currentTarget.value })}
        />
      </div>
      <div class="question">
        <label for={`${id}-query`}>{texts.question}</label>
        <input
          id={`${id}-query`}
          autocomplete="off"
          placeholder={texts.none}
          value={typed.query}
          onInput={event => setTyped({ ...typed, query: event.currentTarget.value })}
        />
      </div>
      <div class="buttons">
        <Button look="primary" type="submit">
          {texts.look}
        </Button>
        {hasWishes && (
          <Button
            look="quiet"
            onClick={() => {
              setTyped(NO_WISHES)
              onWish(NO_WISHES)
            }}
          >
            {texts.reset}
          </Button>
        )}
      </div>
    </form>
  )
}
