import { useId } from 'preact/hooks'
import { defineTexts } from '../../language/language.ts'
import { SessionField } from '../../ui/session-field.tsx'
import { KINDS, type Typed } from './target.ts'

const useTexts = defineTexts({
  en: {
    what: 'What is to be erased',
    messages: 'A message',
    session: 'A session',
    person: 'A person',
    sessionId: 'Session',
    seq: 'Number of the message',
    personId: 'Id of the person',
    numberRule: 'A whole number: the one beside the message in the strata.',
  },
  zh: {
    what: '要删除什么',
    messages: '一条消息',
    session: '一个会话',
    person: '一个人',
    sessionId: '会话',
    seq: '消息编号',
    personId: '人物编号',
    numberRule: '整数：地层中消息旁边的数字。',
  },
})

export function TargetFields({
  typed,
  onTyped,
}: {
  readonly typed: Typed
  readonly onTyped: (typed: Typed) => void
}) {
  const texts = useTexts()
  const [group, session, seq, person] = [useId(), useId(), useId(), useId()]
  return (
    <>
      <fieldset class="erasure-kinds">
        <legend>{texts.what}</legend>
        {KINDS.map(kind => (
          <label key={kind}>
            <input
              type="radio"
              name={group}
              checked={typed.kind === kind}
              onChange={() => onTyped({ ...typed, kind })}
            />
            {texts[kind]}
          </label>
        ))}
      </fieldset>
      <div class="erasure-fields">
        {typed.kind !== 'person' && (
          <div>
            <label for={session}>{texts.sessionId}</label>
            <SessionField
              id={session}
              required
              value={typed.session}
              onTyped={text => onTyped({ ...typed, session: text })}
            />
          </div>
        )}
        {typed.kind === 'messages' && (
          <div class="erasure-number">
            <label for={seq}>{texts.seq}</label>
            <input
              id={seq}
              required
              inputMode="numeric"
              pattern="[1-9][0-9]{0,14}"
              title={texts.numberRule}
              autocomplete="off"
              value={typed.seq}
              onInput={event => onTyped({ ...typed, seq: event.currentTarget.value.trim() })}
            />
          </div>
        )}
        {typed.kind === 'person' && (
          <div>
            <label for={person}>{texts.personId}</label>
            <input
              id={person}
              required
              autocomplete="off"
              spellcheck={false}
              value={typed.person}
              onInput={event => onTyped({ ...typed, person: event.currentTarget.value })}
            />
          </div>
        )}
      </div>
    </>
  )
}
