import { RequestError } from '../api/request-error.ts'
import { useServerStatus } from '../live/config-status.ts'
import { CodeFrame } from '../ui/code-frame.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { clockTime } from '../ui/format-time.ts'
import { Icon } from '../ui/icon.tsx'

/** Says on every page that the files as they are now do not load; gone by itself when they do. */
export function ConfigBar() {
  const { data, error } = useServerStatus()
  if (error instanceof RequestError && error.status === 503)
    return <Bar title="The configuration does not load" text={withoutFirstLine(error.message)} />
  const failure = data?.config.error
  if (!failure || !data) return null
  const { name, message, file, line, column } = failure
  const place = [file, line, column].filter((part) => part !== null).join(':')
  return (
    <Bar
      title={`${name}: ${message}`}
      place={place}
      text={failure.frame ?? ''}
      note={`still serving the version of ${clockTime(data.generation.at)}`}
    />
  )
}

interface BarProps {
  readonly title: string
  readonly text: string
  readonly place?: string
  readonly note?: string
}

function Bar({ title, text, place, note }: BarProps) {
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

function withoutFirstLine(text: string): string {
  const end = text.indexOf('\n')
  return end === -1 ? '' : text.slice(end + 1)
}
