import { Children, cloneElement, isValidElement } from 'react'
import type { ReactNode } from 'react'

/** Terminal colour codes. */
// eslint-disable-next-line no-control-regex
const SGR = /\u001B\[[\d;]*m/g
/** Control characters except tab and line break, and bidirectional control characters. */
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** The text with invisible characters as escapes, so that nothing in it is hidden. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0)
    return code < 256
      ? String.raw`\x${code.toString(16).padStart(2, '0')}`
      : String.raw`\u${code.toString(16).padStart(4, '0')}`
  })
}

/** A text on one line, without terminal colours and at most `maxLength` characters long. */
export function oneLine(text: string, maxLength: number): string {
  // colours are removed first, so that none is split
  const line = text
    .slice(0, maxLength * 2)
    .replace(SGR, '')
    .replaceAll(/\s*\n\s*/g, ' ')
  return escapeHidden(line.slice(0, maxLength))
}

interface Texts {
  readonly title?: unknown
  readonly children?: ReactNode
}

/**
 * A node whose texts, with those of the elements in it, have invisible characters as escapes. The text that a component
 * makes of its properties is the component's own.
 */
export function escapeNode(node: ReactNode): ReactNode {
  if (typeof node === 'string') return escapeHidden(node)
  if (Array.isArray(node)) return Children.map(node, (child) => escapeNode(child))
  if (!isValidElement<Texts>(node)) return node
  const { title, children } = node.props
  const shown = typeof title === 'string' ? escapeHidden(title) : title
  const inner = typeof children === 'function' ? children : escapeNode(children)
  if (shown === title && inner === children) return node
  return cloneElement(node, { ...(shown !== title && { title: shown }) }, inner)
}

/** Bidirectional control characters, which can make a text look different from its content. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text with bidirectional control characters as JSON escapes. */
export function escapeBidi(text: string): string {
  return text.replace(BIDI, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
