import { useState } from 'react'
import { CodeFrame } from '../ui/code-frame.tsx'
import { CopyButton } from '../ui/controls/button.tsx'

export interface CodeTabsProps {
  readonly label: string
  /** Code by language. */
  readonly codes: Readonly<Record<string, string>>
}

/** Code to copy, with a tab for each language. */
export function CodeTabs({ label, codes }: CodeTabsProps) {
  const names = Object.keys(codes)
  const [chosen, setChosen] = useState(names[0] ?? '')
  const name = names.includes(chosen) ? chosen : (names[0] ?? '')
  const code = codes[name] ?? ''
  return (
    <div className="min-w-0 rounded-md border border-line bg-panel">
      <div className="flex items-center gap-1 border-b border-line px-1" role="group" aria-label={label}>
        {names.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === name}
            onClick={() => setChosen(one)}
            className="rounded-sm px-2 py-0.5 text-sm text-dim hover:text-text aria-pressed:font-medium aria-pressed:text-text"
          >
            {one}
          </button>
        ))}
        <span className="ml-auto">
          <CopyButton text={code} label={`Copy as ${name}`} />
        </span>
      </div>
      <div className="p-2">
        <CodeFrame text={code} />
      </div>
    </div>
  )
}
