import { defineTexts } from '../../language/language.ts'
import type { Loaded } from '../../state/use-loaded.ts'
import { WhenLoaded } from '../../ui/loading.tsx'
import { MessagePreview } from './message-preview.tsx'
import { PersonPreview } from './person-preview.tsx'
import type { Preview } from './read-preview.ts'
import { SessionPreview } from './session-preview.tsx'

const useTexts = defineTexts({
  en: {
    noSession: 'There is no session with this id.',
    noMessage:
      'No message with this number can be seen in this session. One that a rollback has hidden can still be erased.',
  },
  zh: {
    noSession: '没有这个会话。',
    noMessage: '此会话中看不到这个编号的消息。被回滚隐藏的消息仍可删除。',
  },
})

/** Shows what an erasure would hit. */
export function TargetPreview({ loaded }: { readonly loaded: Loaded<Preview | null> }) {
  return (
    <div class="erasure-preview" aria-live="polite">
      <WhenLoaded loaded={loaded}>{preview => preview && <Shown preview={preview} />}</WhenLoaded>
    </div>
  )
}

function Shown({ preview }: { readonly preview: Preview }) {
  const texts = useTexts()
  switch (preview.kind) {
    case 'session':
      return <SessionPreview session={preview.session} />
    case 'message':
      return <MessagePreview message={preview.message} />
    case 'person':
      return <PersonPreview {...preview} />
    case 'no-session':
      return <p class="erasure-doubt">{texts.noSession}</p>
    case 'no-message':
      return <p class="erasure-doubt">{texts.noMessage}</p>
  }
}
