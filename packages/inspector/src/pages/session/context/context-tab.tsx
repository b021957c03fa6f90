import { useState } from 'preact/hooks'
import { readContext, readFolds } from '../../../api/index.ts'
import type { ContextAnswer, Fold, SessionFigures } from '../../../api/types.ts'
import { defineTexts } from '../../../language/language.ts'
import { useEvents } from '../../../state/use-events.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { WhenLoaded } from '../../../ui/loading.tsx'
import { Empty } from '../../../ui/notice.tsx'
import { CacheChanges } from './cache-changes.tsx'
import { ContextBlocks, useOpenBlocks } from './context-blocks.tsx'
import { ContextBudget } from './context-budget.tsx'
import { ContextForm, NO_WISHES, type Wishes } from './context-form.tsx'
import { Omissions } from './omissions.tsx'
import { readBlocks } from './read-blocks.ts'
import { RecentBreaks } from './recent-breaks.tsx'
import { compareWithShown, type SinceShown } from './shown-before.ts'
import './context.css'

const useTexts = defineTexts({
  en: {
    about: 'What the model would be given with the next call. Looking changes nothing.',
    empty: 'There is nothing in it yet.',
  },
  zh: { about: '下次调用时模型将得到的内容。查看不会改变任何东西。', empty: '里面还没有内容。' },
})

const MAX_FOLDS = 20

interface Shown {
  readonly context: ContextAnswer
  readonly folds: readonly Fold[]
  readonly since: SinceShown | null
}

export function ContextTab({ session }: { readonly session: SessionFigures }) {
  const texts = useTexts()
  const [wishes, setWishes] = useState(NO_WISHES)
  const { open, onToggle } = useOpenBlocks()
  const { id } = session
  const loaded = useLoaded(
    signal => look(id, wishes, signal),
    [id, wishes.budget, wishes.model, wishes.query],
  )
  // The memory of people, scopes and of all chats belongs to no session, but may be in this one's context.
  useEvents(
    ({ sessionId, type }) => sessionId === id || (sessionId === null && type === 'memory-changed'),
    loaded.reload,
  )
  return (
    <div class="context-tab">
      <p class="soft">{texts.about}</p>
      <ContextForm wishes={wishes} onWish={setWishes} />
      <WhenLoaded loaded={loaded}>
        {({ context, folds, since }) => (
          <>
            <ContextBudget report={context.report} />
            {context.report.blocks.length === 0 ? (
              <Empty>{texts.empty}</Empty>
            ) : (
              <ContextBlocks sessionId={id} context={readBlocks(context)} open={open} onToggle={onToggle} />
            )}
            <Omissions sessionId={id} omitted={context.report.omitted} />
            <CacheChanges since={since} />
            <RecentBreaks sessionId={id} folds={folds} />
          </>
        )}
      </WhenLoaded>
    </div>
  )
}

async function look(id: string, { budget, model, query }: Wishes, signal: AbortSignal): Promise<Shown> {
  const wanted = {
    ...(budget !== '' && { budget: Number(budget) }),
    ...(model !== '' && { model }),
    ...(query !== '' && { query }),
  }
  const [context, { folds }] = await Promise.all([
    readContext(id, wanted, { signal }),
    readFolds(id, { limit: MAX_FOLDS }, { signal }),
  ])
  signal.throwIfAborted()
  // The name leaves out the query, since the query changes only the recalled part at the end.
  const since = compareWithShown(JSON.stringify([id, budget, model]), context, folds)
  return { context, folds, since }
}
