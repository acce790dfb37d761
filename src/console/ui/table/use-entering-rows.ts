import { useLayoutEffect, useRef } from 'react'

export interface EnteringRows {
  /** Ids of the row elements are `<prefix>-<index>`. */
  readonly prefix: string
  readonly count: number
  readonly keyAt: (index: number) => string | undefined
  /** New rows come at the end, instead of the start. */
  readonly atEnd?: boolean
}

/** When more rows come at once, none of them enters: a busy list would never rest. */
const MAX_ENTERING = 12

/** Lets rows that are new since the last render enter. Rows of the first load, and those scrolled to, are there. */
export function useEnteringRows({ prefix, count, keyAt, atEnd = false }: EnteringRows): void {
  const newest = useRef<string>(undefined)
  useLayoutEffect(() => {
    const indexAt = (age: number) => (atEnd ? count - 1 - age : age)
    const ages = Array.from({ length: Math.min(MAX_ENTERING + 1, count) }, (_, age) => age)
    const known = newest.current
    newest.current = keyAt(indexAt(0))
    const added = known === undefined ? -1 : ages.findIndex((age) => keyAt(indexAt(age)) === known)
    for (const age of ages.slice(0, Math.max(0, added))) enter(`${prefix}-${indexAt(age)}`)
  })
}

function enter(id: string): void {
  const row = document.getElementById(id)
  row?.classList.add('enter')
  // the element may be used for another row later
  row?.addEventListener('animationend', () => row.classList.remove('enter'), { once: true })
}
