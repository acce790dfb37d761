import { useEffect, useRef, useState } from 'react'
import { useTopic } from '../../live/use-topic.ts'
import { Duration } from '../../ui/time/time.tsx'
import { serverClock } from '../../ui/time/server-clock.ts'

/** Maximum number of lines kept. */
const MAX_LINES = 1000

interface LogFrame {
  readonly message: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Output of the package manager, which the server logs line by line. */
export function InstallOutput({ running }: { readonly running: boolean }) {
  const [lines, setLines] = useState<readonly string[]>([])
  const [since, setSince] = useState<string>()
  const end = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (!running) return
    setLines([])
    setSince(new Date(serverClock.now()).toISOString())
  }, [running])
  useTopic('logs', {
    onFrame: ({ data }) => {
      const { message, attributes } = data as LogFrame
      if (attributes['task'] === 'updates') setLines((old) => [...old, message].slice(-MAX_LINES))
    },
  })
  useEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight
  }, [lines])
  if (!running && lines.length === 0) return null
  return (
    <section aria-label="Installation" className="min-h-0 p-4">
      {running && (
        <p role="status" className="pb-1 text-running">
          Installing… <Duration since={since} />
        </p>
      )}
      <pre
        ref={end}
        role="log"
        aria-label="Output of the package manager"
        tabIndex={0}
        className="max-h-72 min-h-16 overflow-auto whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-2 font-mono text-sm"
      >
        {lines.join('\n')}
      </pre>
    </section>
  )
}
