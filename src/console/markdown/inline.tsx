import type { ReactNode } from 'react'

const MARKS =
  /(`+)([\s\S]*?)\1|\*\*([\s\S]+?)\*\*|(?<![\w*])[*_]([^*_\n]+)[*_](?![\w*])|!?\[([^\]]*)\]\(([^)\s]+)[^)]*\)|(https?:\/\/[^\s<>)"']+)/g

/** Marks within a line: code, strong, emphasis, links. Images are shown as links: nothing is loaded. */
export function inline(text: string): ReactNode[] {
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(MARKS)) {
    if (match.index > end) parts.push(text.slice(end, match.index))
    parts.push(mark(match, parts.length))
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

function mark(
  [all, , code, strong, emphasis, label, target, address]: RegExpExecArray,
  key: number,
): ReactNode {
  if (code !== undefined)
    return (
      <code key={key} className="rounded-sm bg-hover px-1 font-mono text-sm">
        {code}
      </code>
    )
  if (strong !== undefined) return <strong key={key}>{inline(strong)}</strong>
  if (emphasis !== undefined) return <em key={key}>{inline(emphasis)}</em>
  const href = target ?? address ?? ''
  // nothing but the web: no javascript:, no data:
  if (!/^https?:\/\//i.test(href)) return all
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer" className="text-accent underline">
      {label === undefined || label === '' ? href : label}
    </a>
  )
}
