/** How a page was left. */
export interface View {
  /** The values of `useKeptState`, by name. */
  readonly values: Record<string, unknown>
  /** Scroll positions in pixels, by `selectorOf` their elements. */
  readonly scroll: Readonly<Record<string, number>>
  /** `selectorOf` the focused element. */
  readonly focus?: string | undefined
}

const RESTORE_MS = 5000
/** Distance in pixels that counts as restored. */
const TOLERANCE = 2
const GESTURES = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const

export function isView(value: unknown): value is View {
  const { values, scroll } = (value ?? {}) as Partial<View>
  return typeof values === 'object' && typeof scroll === 'object'
}

/** The scroll positions and the focus of the shown page. */
export function captureView(): Omit<View, 'values'> {
  const scroll: Record<string, number> = {}
  for (const element of document.querySelectorAll('main, main *')) {
    const top = element.scrollTop
    // a log at its end follows new lines
    const follows = isLog(element) && top + element.clientHeight >= element.scrollHeight - 40
    if (top > 0 && !follows) scroll[selectorOf(element)] = top
  }
  const focused = document.activeElement?.closest('main *')
  return { scroll, focus: focused ? selectorOf(focused) : undefined }
}

/**
 * Scrolls and focuses as the page was left, as soon as what it shows has loaded: until it was restored, the user does
 * something, or the time is up. Returns a function that stops it.
 */
export function restoreView({ scroll, focus }: View): () => void {
  const left = new Map(Object.entries(scroll))
  const until = performance.now() + RESTORE_MS
  let isFocused = false
  let frame = 0
  const step = () => {
    for (const [selector, top] of left) {
      const element = document.querySelector(selector)
      if (!element || element.scrollHeight - element.clientHeight < top - TOLERANCE) continue
      element.scrollTop = top
      left.delete(selector)
    }
    const target = focus === undefined ? null : document.querySelector(focus)
    if (!isFocused && target instanceof HTMLElement) {
      target.focus({ preventScroll: true })
      isFocused = document.activeElement === target
    }
    const isDone = left.size === 0 && (focus === undefined || isFocused)
    if (isDone || performance.now() > until) stop()
    else frame = requestAnimationFrame(step)
  }
  const stop = () => {
    cancelAnimationFrame(frame)
    for (const gesture of GESTURES) removeEventListener(gesture, stop, true)
  }
  for (const gesture of GESTURES) addEventListener(gesture, stop, { capture: true, passive: true })
  frame = requestAnimationFrame(step)
  return stop
}

/** A selector of an element that also finds it when its page is shown again. */
function selectorOf(element: Element): string {
  const { localName, parentElement } = element
  for (const name of ['aria-label', 'href']) {
    const value = element.getAttribute(name)
    if (value !== null && value !== '') return `main ${localName}[${name}="${CSS.escape(value)}"]`
  }
  if (!parentElement || localName === 'main') return localName
  return `${selectorOf(parentElement)} > :nth-child(${[...parentElement.children].indexOf(element) + 1})`
}

function isLog(element: Element): boolean {
  return element.closest('[role=log]') !== null
}
