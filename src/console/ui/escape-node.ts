import { Children, cloneElement, isValidElement } from 'react'
import type { ReactNode } from 'react'
import { escapeHidden } from './escape-hidden.ts'

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
