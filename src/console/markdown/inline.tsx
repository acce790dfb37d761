import type { ReactNode } from 'react'
import { parseInline } from './parse-inline.ts'
import type { InlineToken } from './parse-inline.ts'

/** What is marked within a line, as elements. Images are shown as links: nothing is loaded. */
export function inline(text: string): ReactNode[] {
  return parseInline(text).map((mark, index) => element(mark, index))
}

function element(mark: InlineToken, key: number): ReactNode {
  switch (mark.kind) {
    case 'text':
      return mark.text
    case 'code':
      return (
        <code key={key} className="rounded-sm bg-hover px-1 font-mono text-sm">
          {mark.text}
        </code>
      )
    case 'strong':
      return <strong key={key}>{inline(mark.text)}</strong>
    case 'emphasis':
      return <em key={key}>{inline(mark.text)}</em>
    case 'link':
      return (
        <a
          key={key}
          href={mark.href}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent underline"
        >
          {mark.text}
        </a>
      )
  }
}
