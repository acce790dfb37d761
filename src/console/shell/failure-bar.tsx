import { CodeFrame } from '../ui/code-frame.tsx'
import { CopyButton } from '../ui/controls/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { ConfigProblem } from './use-config-problem.ts'

/** Says on every page that the files as they are now do not load. */
export function FailureBar({ title, text, place, note }: ConfigProblem) {
  const copied = [title, place, text].filter(Boolean).join('\n')
  return (
    <section
      aria-label="Broken configuration"
      role="alert"
      className="border-b-2 border-error bg-error-panel px-4 py-2"
    >
      <div className="flex items-start gap-3">
        <p className="min-w-0 flex-1 break-words">
          <strong className="text-error">
            <Icon name="error" className="mr-1.5 inline" />
            {title}
          </strong>
          {place !== undefined && <span className="ml-2 font-mono text-sm">{place}</span>}
          {note !== undefined && <span className="ml-2 text-dim">{note}</span>}
        </p>
        <CopyButton text={copied} label="Copy the error" />
      </div>
      {text !== '' && <CodeFrame text={text} />}
    </section>
  )
}
