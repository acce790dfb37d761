import type { ReactNode } from 'react'
import { parseInline } from './parse-inline.ts'
import type { InlineToken } from './parse-inline.ts'

/** Inline Markdown as elements. Images become links: nothing is loaded. */
export function inline(text: string): ReactNode[] {
  return parseInline(text).map((token, index) => element(token, index))
}

function element(token: InlineToken, key: number): ReactNode {
  switch (token.kind) {
    case 'text':
      return token.text
    case 'code':
      return (
        <code key={key} className="rounded-sm bg-hover px-1 font-mono text-sm">
          {token.text}
        </code>
      )
    case 'strong':
      return <strong key={key}>{inline(token.text)}</strong>
    case 'emphasis':
      return <em key={key}>{inline(token.text)}</em>
    case 'link':
      return (
        <a
          key={key}
          href={token.href}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent underline"
        >
          {token.text}
        </a>
      )
  }
}
