import type { KeyboardEvent } from 'react'

/** The `onKeyDown` of a form that Ctrl+Enter or Cmd+Enter sends, wherever the focus is in it. */
export function sendKeys(send: () => void): (event: KeyboardEvent<HTMLElement>) => void {
  return (event) => {
    const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
    // the list of a select is a part of the form for React, not of its element
    const isInside = event.currentTarget.contains(event.target as Node)
    if (!isSend || !isInside || event.defaultPrevented) return
    event.preventDefault()
    send()
  }
}
