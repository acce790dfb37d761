/** A part of a line: text as it is, or text that is marked. */
export type InlineToken =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

/** Every part is bounded: what a model writes must not keep the page busy. */
const TOKENS =
  /(?<!`)(`{1,3})(?!`)([\s\S]{1,1000}?)(?<!`)\1(?!`)|\*\*(?=\S)([\s\S]{1,1000}?)\*\*|(?<![\w*])[*_]([^*_\n]{1,500})[*_](?![\w*])|!?\[([^\]]{0,500})\]\(([^)\s]{1,2000})[^)]{0,300}\)|(https?:\/\/[^\s<>)"']+)/g

/** Beyond this a paragraph is none that was written to be read: it stays the text that it is. */
const MAX_LENGTH = 20_000

/** Reads code, strong, emphasis and links. An image is a link. Whatever leads elsewhere than the web is text. */
export function parseInline(text: string): InlineToken[] {
  if (text.length > MAX_LENGTH) return [{ kind: 'text', text }]
  const marks: InlineToken[] = []
  let end = 0
  for (const match of text.matchAll(TOKENS)) {
    if (match.index > end) marks.push({ kind: 'text', text: text.slice(end, match.index) })
    marks.push(tokenOf(match))
    end = match.index + match[0].length
  }
  if (end < text.length) marks.push({ kind: 'text', text: text.slice(end) })
  return marks
}

function tokenOf([all, , code, strong, emphasis, label, target, address]: RegExpExecArray): InlineToken {
  if (code !== undefined) return { kind: 'code', text: code }
  if (strong !== undefined) return { kind: 'strong', text: strong }
  if (emphasis !== undefined) return { kind: 'emphasis', text: emphasis }
  const href = target ?? address ?? ''
  // nothing but the web: no javascript:, no data:
  if (!/^https?:\/\//i.test(href)) return { kind: 'text', text: all }
  return { kind: 'link', text: label === undefined || label === '' ? href : label, href }
}
