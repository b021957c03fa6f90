import { isSame, type Print } from './fingerprint.ts'

/** Finds the places in a list that say the same as a message. */
export class PlacesByName {
  readonly #list: readonly Print[]
  readonly #places = new Map<number, number[]>()
  /** The places of replies that broke off. Such a reply equals any reply with the same beginning. */
  readonly #brokenOff: number[] = []

  constructor(list: readonly Print[]) {
    this.#list = list
    for (let place = list.length - 1; place >= 0; place--) {
      const { name, isBrokenOff } = list[place]!
      const known = this.#places.get(name)
      if (isBrokenOff) this.#brokenOff.push(place)
      else if (known) known.push(place)
      else this.#places.set(name, [place])
    }
  }

  /** The last place comes first. */
  sameAs(print: Print): readonly number[] {
    const isHere = (place: number) => isSame(this.#list[place]!, print)
    const found = (this.#places.get(print.name) ?? []).filter(isHere)
    const beginning = this.#brokenOff.filter(isHere)
    return beginning.length === 0 ? found : [...found, ...beginning].toSorted((one, other) => other - one)
  }
}
