import type { ReactNode } from 'react'
import { CopyButton } from '../ui/controls/button.tsx'
import { CodeTabs } from './code-tabs.tsx'

export interface ConnectClientProps {
  readonly url: string
  /** Name of the URL for the copy button. */
  readonly what: string
  readonly codes: Readonly<Record<string, string>>
  readonly children?: ReactNode
}

/** URL and code to connect a client. */
export function ConnectClient({ url, what, codes, children }: ConnectClientProps) {
  return (
    <section aria-label="Connect a client" className="max-w-3xl">
      <h2 className="pb-1 font-semibold">Connect a client</h2>
      {children}
      <p className="flex items-center gap-1 pb-2">
        <span className="min-w-0 break-all font-mono text-sm">{url}</span>
        <CopyButton text={url} label={`Copy ${what}`} />
      </p>
      <CodeTabs label="Code for" codes={codes} />
    </section>
  )
}
