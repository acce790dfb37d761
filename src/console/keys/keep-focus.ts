/**
 * Keeps the focus in the page. Browsers move it to `body` when the focused element is disabled or removed, where
 * keyboard and screen reader start again at the top: a button that is enabled again gets it back, and for a removed
 * element the nearest container that can have it, else the heading of the page.
 */
export function keepFocus(): void {
  /** The element that was focused last, and the elements around it. */
  let path: readonly HTMLElement[] = []
  document.addEventListener('focusin', ({ target }) => {
    path = pathOf(target as HTMLElement)
  })
  document.addEventListener('focusout', () => {
    const [last] = path
    if (!last || isDisabled(last)) return
    requestAnimationFrame(() => {
      // the user clicked where nothing can be focused
      if (isLost() && last === path[0] && last.isConnected && !isDisabled(last)) path = []
    })
  })
  const restore = () => {
    const [last] = path
    if (!isLost() || !last || isDisabled(last)) return
    const remaining = path.find((one) => one.isConnected && (one === last || one.hasAttribute('tabindex')))
    const target = remaining ?? document.querySelector<HTMLElement>('main h1')
    target?.focus({ preventScroll: true })
  }
  // after the frame: a dialog that closes and a new screen move the focus themselves
  const observer = new MutationObserver(() => {
    if (isLost() && path.length > 0) requestAnimationFrame(restore)
  })
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}

/** It may be enabled again. */
function isDisabled(element: HTMLElement): boolean {
  return element.isConnected && element.matches(':disabled')
}

function isLost(): boolean {
  return document.activeElement === document.body || document.activeElement === null
}

function pathOf(element: HTMLElement): readonly HTMLElement[] {
  const { parentElement } = element
  return parentElement && parentElement !== document.body ? [element, ...pathOf(parentElement)] : [element]
}
