export type { TelegramOptions } from './options.ts'
export { telegram } from './telegram.ts'
