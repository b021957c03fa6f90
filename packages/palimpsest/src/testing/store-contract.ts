import { appending } from './store-contract/appending.ts'
import { archiving } from './store-contract/archiving.ts'
import { assigning } from './store-contract/assigning.ts'
import { botChats } from './store-contract/bot-chats.ts'
import { clocks } from './store-contract/clocks.ts'
import { configuring } from './store-contract/configuring.ts'
import { content } from './store-contract/content.ts'
import type { ContractCase } from './store-contract/contract-case.ts'
import { copying } from './store-contract/copying.ts'
import { editing } from './store-contract/editing.ts'
import { erasing } from './store-contract/erasing.ts'
import { erasingAgain } from './store-contract/erasing-again.ts'
import { erasingDocuments } from './store-contract/erasing-documents.ts'
import { erasingWhole } from './store-contract/erasing-whole.ts'
import { events } from './store-contract/events.ts'
import { extracting } from './store-contract/extracting.ts'
import { folding } from './store-contract/folding.ts'
import { forking } from './store-contract/forking.ts'
import { identity } from './store-contract/identity.ts'
import { judging } from './store-contract/judging.ts'
import { layering } from './store-contract/layering.ts'
import { leasing } from './store-contract/leasing.ts'
import { lifecycle } from './store-contract/lifecycle.ts'
import { histories, listing } from './store-contract/listing.ts'
import { mirroring } from './store-contract/mirroring.ts'
import { outliving } from './store-contract/outliving.ts'
import { reading } from './store-contract/reading.ts'
import { remembering } from './store-contract/remembering.ts'
import { replacingTails } from './store-contract/replacing-tails.ts'
import { rollingBack } from './store-contract/rolling-back.ts'
import { searching } from './store-contract/searching.ts'
import { serving } from './store-contract/serving.ts'
import { spending } from './store-contract/spending.ts'
import { trimming } from './store-contract/trimming.ts'
import { waiting } from './store-contract/waiting.ts'
import { windows } from './store-contract/windows.ts'

/**
 * The promises of every store, as cases for any test runner:
 *
 *     for (const { name, run } of storeContract) test(name, () => run(() => openEmptyPlace()))
 *
 * Each case needs its own place. It may open the place several times, and it closes what it opened.
 */
export const storeContract: readonly ContractCase[] = [
  ...lifecycle,
  ...appending,
  ...assigning,
  ...identity,
  ...content,
  ...reading,
  ...listing,
  ...histories,
  ...editing,
  ...rollingBack,
  ...replacingTails,
  ...waiting,
  ...botChats,
  ...forking,
  ...archiving,
  ...copying,
  ...configuring,
  ...leasing,
  ...clocks,
  ...folding,
  ...windows,
  ...judging,
  ...remembering,
  ...layering,
  ...extracting,
  ...mirroring,
  ...searching,
  ...erasing,
  ...erasingAgain,
  ...erasingDocuments,
  ...erasingWhole,
  ...outliving,
  ...events,
  ...trimming,
  ...serving,
  ...spending,
]
