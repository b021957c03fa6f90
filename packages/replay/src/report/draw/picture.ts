import { type Content, type Markup, markup } from '../markup.ts'

export interface Picture {
  readonly id: string
  readonly width: number
  readonly height: number
  readonly title: string
  /** What one would say of it to somebody who cannot see it. */
  readonly description: string
}

export function picture({ id, width, height, title, description }: Picture, content: Content): Markup {
  return markup`<svg role="img" aria-labelledby="${id}-title ${id}-description" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title id="${id}-title">${title}</title>
<desc id="${id}-description">${description}</desc>
${content}
</svg>
`
}

/** Letters do not shrink with a picture: a narrow screen gets a picture of its own. */
export const WIDTHS = { wide: 960, narrow: 350 } as const
export type PictureSize = keyof typeof WIDTHS

export function inBothSizes(draw: (size: PictureSize) => Markup): Markup {
  return markup`<div class="wide">${draw('wide')}</div><div class="narrow">${draw('narrow')}</div>`
}
