import { useState } from 'react'
import type { ReactNode } from 'react'
import { DiscardQuestion } from './discard-question.tsx'

/** Discards what was entered in a form that is part of a page, after asking if it was edited. */
export function useDiscard(
  edited: boolean,
  discard: () => void,
): { readonly requestDiscard: () => void; readonly question: ReactNode } {
  const [asking, setAsking] = useState(false)
  return {
    requestDiscard: () => (edited ? setAsking(true) : discard()),
    question: asking && (
      <DiscardQuestion
        keep={() => setAsking(false)}
        discard={() => {
          setAsking(false)
          discard()
        }}
      />
    ),
  }
}
