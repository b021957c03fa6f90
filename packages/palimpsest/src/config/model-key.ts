import type { Layer } from './layers.ts'
import { type ModelProvider, splitModelName } from './model-name.ts'

/** Where the key of a model may be sent: to the address and the provider that it was given for. */
export interface KeyPlace {
  /**
   * `null`: no model was set at that time. The key fits any provider until a model is set; that model
   * decides.
   */
  readonly provider: ModelProvider | null
  /** `null`: the provider's own address. */
  readonly baseUrl: string | null
}

/**
 * The name under which the place is stored beside a key. It is no setting: the server writes it with the key,
 * and a caller never does.
 */
export const KEY_PLACE = 'modelApiKeyFor'

interface ModelPlace {
  readonly model: string | null
  readonly modelBaseUrl: string | null
}

/** Where calls of the model go. */
export function placeOf({ model, modelBaseUrl }: ModelPlace): KeyPlace {
  return { provider: model === null ? null : splitModelName(model).provider, baseUrl: modelBaseUrl }
}

/** Where calls go with these layers, the strongest first. */
export function placeIn(layers: readonly (Layer | undefined)[]): KeyPlace {
  const textOf = (name: keyof ModelPlace) =>
    (layers.find(layer => layer && Object.hasOwn(layer, name))?.[name] ?? null) as string | null
  return placeOf({ model: textOf('model'), modelBaseUrl: textOf('modelBaseUrl') })
}

export function writePlace({ provider, baseUrl }: KeyPlace): string {
  return `${provider ?? ''} ${baseUrl ?? ''}`
}

/** `null`: no place is stored. Older versions did not store one. */
export function readPlace(written: unknown): KeyPlace | null {
  if (typeof written !== 'string' || !written.includes(' ')) return null
  const [provider = '', baseUrl = ''] = written.split(' ')
  return { provider: provider === '' ? null : (provider as ModelProvider), baseUrl: baseUrl || null }
}

/** Whether a key that was given for one place may be sent to the other. */
export function maySend(given: KeyPlace, to: KeyPlace): boolean {
  const isProvider = given.provider === null || to.provider === null || given.provider === to.provider
  return isProvider && given.baseUrl === to.baseUrl
}

export function describePlace({ provider, baseUrl }: KeyPlace): string {
  return [provider ?? 'any provider', ...(baseUrl === null ? [] : [`at ${baseUrl}`])].join(' ')
}
