import { type Content, type Markup, markup } from '../markup.ts'

export interface Picture {
  readonly id: string
  readonly width: number
  readonly height: number
  readonly title: string
  /** Tells what the picture shows to a reader who cannot see it. */
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

/** Letters must not shrink with a picture, so a narrow screen gets its own picture. */
export const WIDTHS = { wide: 960, narrow: 350 } as const
export type PictureSize = keyof typeof WIDTHS

export function inBothSizes(draw: (size: PictureSize) => Markup): Markup {
  return markup`<div class="wide">${draw('wide')}</div><div class="narrow">${draw('narrow')}</div>`
}
