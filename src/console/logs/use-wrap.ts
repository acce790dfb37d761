import { useState } from 'react'

const NAME = 'agentserver.log-wrap'

/** Whether lines of the log wrap, kept in this browser. */
export function useWrap(): [boolean, (wraps: boolean) => void] {
  const [wraps, setWraps] = useState(() => localStorage.getItem(NAME) === 'true')
  const choose = (next: boolean) => {
    localStorage.setItem(NAME, String(next))
    setWraps(next)
  }
  return [wraps, choose]
}
