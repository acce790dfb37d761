import { CodeFrame } from '../ui/code-frame.tsx'
import { CopyButton } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { ConfigProblem } from '../live/config-status.ts'

/** Shows on every page that the current configuration could not be loaded. */
export function FailureBar({
  label = 'Configuration error',
  title,
  text,
  location,
  note,
}: ConfigProblem & { readonly label?: string }) {
  const details = [title, location, text].filter(Boolean).join('\n')
  return (
    <section aria-label={label} role="alert" className="border-b-2 border-error bg-error-panel px-4 py-2">
      <div className="flex items-start gap-3">
        <p className="min-w-0 flex-1 break-words">
          <strong className="text-error">
            <Icon name="error" className="mr-1.5 inline" />
            {title}
          </strong>
          {location !== undefined && <span className="ml-2 font-mono text-sm">{location}</span>}
          {note !== undefined && <span className="ml-2 text-dim">{note}</span>}
        </p>
        <CopyButton text={details} label="Copy error" />
      </div>
      {text !== '' && <CodeFrame text={text} />}
    </section>
  )
}
