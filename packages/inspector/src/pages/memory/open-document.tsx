import { useId, useState } from 'preact/hooks'
import type { Layer } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { goTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { hasOneDocument, isLayer, LAYERS } from './layers.ts'
import { useLayerTexts } from './use-layer-texts.ts'

const useTexts = defineTexts({
  en: {
    title: 'Open one by its id',
    layer: 'Layer',
    key: 'Id',
    open: 'Open',
    keys: {
      user: 'the id of a person',
      scope: 'the id of a workspace',
      chat: 'the id of a session',
      daily: '2026-02-10/telegram:42',
    },
  },
  zh: {
    title: '按编号打开',
    layer: '层',
    key: '编号',
    open: '打开',
    keys: { user: '人物编号', scope: '空间编号', chat: '会话编号', daily: '2026-02-10/telegram:42' },
  },
})

type NamedLayer = Exclude<Layer, 'persona' | 'global'>
const NAMED = LAYERS.filter((layer): layer is NamedLayer => !hasOneDocument(layer))

/** Opens a document that is far down the list, or that is not written yet. */
export function OpenDocument() {
  const texts = useTexts()
  const names = useLayerTexts()
  const [layerField, keyField] = [useId(), useId()]
  const [layer, setLayer] = useState<NamedLayer>('user')
  const [key, setKey] = useState('')
  return (
    <details class="memory-open">
      <summary>{texts.title}</summary>
      <form
        onSubmit={event => {
          event.preventDefault()
          goTo(['memory', layer, key])
        }}
      >
        <div>
          <label for={layerField}>{texts.layer}</label>
          <select
            id={layerField}
            value={layer}
            onChange={({ currentTarget: { value } }) => {
              if (isLayer(value) && !hasOneDocument(value)) setLayer(value)
            }}
          >
            {NAMED.map(each => (
              <option key={each} value={each}>
                {names[each].name}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for={keyField}>{texts.key}</label>
          <input
            id={keyField}
            required
            autocomplete="off"
            spellcheck={false}
            value={key}
            placeholder={texts.keys[layer]}
            onInput={event => setKey(event.currentTarget.value)}
          />
        </div>
        <Button type="submit">{texts.open}</Button>
      </form>
    </details>
  )
}
