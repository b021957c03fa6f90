import { useEffect } from 'preact/hooks'
import { readErasure } from '../../api/index.ts'
import type { ErasureReceipt } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'
import { type Loaded, useLoaded } from '../../state/use-loaded.ts'
import { WhenLoaded } from '../../ui/loading.tsx'
import { Empty } from '../../ui/notice.tsx'
import { ReceiptJson } from './receipt-json.tsx'
import { ReceiptPlaces } from './receipt-places.tsx'
import { ReceiptTarget } from './receipt-target.tsx'

const useTexts = defineTexts({
  en: {
    title: (id: string) => `Receipt ${id}`,
    asked: (moment: string) => `Asked for ${moment}`,
    done: 'done',
    pending: 'under way',
    erased: 'Everything is erased, down to the bytes in the database.',
    goesOn:
      'Nothing of it can be seen any more. What is pending goes on by itself, also when you leave this page.',
    waits:
      'Nothing of it can be seen any more. Its bytes in the database wait for an operator, who runs the statement below.',
    operator: 'waits for an operator',
    nothing: 'Nothing was found under this name.',
    another: 'Erase something else',
    noNumber: 'Receipts have numbers. This is none:',
  },
  zh: {
    title: (id: string) => `回执 ${id}`,
    asked: (moment: string) => `提出于 ${moment}`,
    done: '完成',
    pending: '进行中',
    erased: '一切都已删除，直至数据库中的字节。',
    goesOn: '其中的内容已经看不到了。其余部分会自行继续，离开此页也不受影响。',
    waits: '其中的内容已经看不到了。数据库中的字节等待管理员执行下面的语句。',
    operator: '等待管理员',
    nothing: '此名称下没有找到任何内容。',
    another: '删除其他内容',
    noNumber: '回执以数字编号。这不是数字：',
  },
})

export function ReceiptPanel({ id }: { readonly id: string }) {
  const texts = useTexts()
  return (
    <>
      {/^[1-9]\d{0,14}$/.test(id) ? (
        <KnownReceipt id={Number(id)} />
      ) : (
        <Empty>
          {texts.noNumber} <bdi>{id}</bdi>
        </Empty>
      )}
      <p class="receipt-more">
        <a href={linkTo(['erasures'])}>{texts.another}</a>
      </p>
    </>
  )
}

function KnownReceipt({ id }: { readonly id: number }) {
  const loaded = useLoaded(signal => readErasure(id, { signal }), [id])
  useUntilDone(loaded)
  return <WhenLoaded loaded={loaded}>{receipt => <Receipt receipt={receipt} />}</WhenLoaded>
}

function Receipt({ receipt }: { readonly receipt: ErasureReceipt }) {
  const texts = useTexts()
  const { number, moment } = useFormats()
  const { id, target, requestedAt, done, places } = receipt
  const isNothing = places.every(({ place, count }) => place === 'database' || count === 0)
  // What is left waits for the operator. Nothing goes on by itself.
  const isWaiting = places.every(({ state, statement }) => state === 'done' || statement !== undefined)
  return (
    <article class="receipt card">
      <header>
        <h2>{texts.title(number(id))}</h2>
        <span class={`chip ${done ? 'good' : 'warn'}`} role="status">
          {done ? texts.done : isWaiting ? texts.operator : texts.pending}
        </span>
        <time class="hint" dateTime={requestedAt}>
          {texts.asked(moment(requestedAt))}
        </time>
      </header>
      {isNothing ? (
        <p class="erasure-doubt">{texts.nothing}</p>
      ) : (
        <p>{done ? texts.erased : isWaiting ? texts.waits : texts.goesOn}</p>
      )}
      <ReceiptTarget target={target} />
      <ReceiptPlaces places={places} />
      <ReceiptJson receipt={receipt} />
    </article>
  )
}

const POLL_MS = 1_000
const POLL_AFTER_ERROR_MS = 5_000

/** An erasure sends no events about its steps, so that no event tells what is gone. The page has to poll. */
function useUntilDone({ value, error, isLoading, reload }: Loaded<ErasureReceipt>): void {
  const isOver = value === undefined || value.done
  useEffect(() => {
    if (isOver || isLoading) return
    const timer = setTimeout(reload, error === null ? POLL_MS : POLL_AFTER_ERROR_MS)
    return () => clearTimeout(timer)
  }, [isOver, isLoading, error, reload])
}
