import { useSettings } from '../../live/use-settings.ts'
import type { Settings } from '../../live/use-settings.ts'
import { Link } from '../../router/link.tsx'
import { durationText } from '../../ui/time/format-time.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time/time.tsx'
import { Section } from './section.tsx'

type Change = Settings['changes'][number]

const MAX_SHOWN = 6

/** The latest loads of the configuration, and failed ones. */
export function ConfigChanges() {
  const { data } = useSettings()
  if (!data) return null
  return (
    <Section
      title="Configuration"
      aside={
        <Link to="settings" className="text-sm text-accent hover:underline">
          Settings
        </Link>
      }
    >
      <p className="pt-2 text-sm text-dim">{watchText(data.config)}</p>
      <ol className="pt-1">
        {data.changes.slice(0, MAX_SHOWN).map((change) => (
          <li key={`${change.at} ${change.type}`} className="flex items-baseline gap-2 py-0.5">
            <Mark change={change} />
            <span className="min-w-0 flex-1 break-words">{changeText(change)}</span>
            <span className="whitespace-nowrap text-sm text-dim">
              <Time at={change.at} />
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Mark({ change }: { readonly change: Change }) {
  const failed = change.type === 'config:error'
  return (
    <Icon name={failed ? 'error' : 'ok'} className={`translate-y-0.5 ${failed ? 'text-error' : 'text-ok'}`} />
  )
}

function watchText({ file, watched, fileCount }: Settings['config']): string {
  if (file === null) return 'Passed in by the embedding program.'
  const files = `${file}, ${fileCount} ${fileCount === 1 ? 'file' : 'files'}`
  return `${files}. Hot reload: ${watched ? 'on' : 'off'}`
}

function changeText(change: Change): string {
  if (change.type === 'config:error') {
    const { name, message, file, line } = change.data
    const location = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`
    return `${name}: ${message}${location}`
  }
  const { generation, durationMs, files, added, changed, removed } = change.data
  const details = [
    files.join(', '),
    added.length > 0 && generation > 1 ? `added ${namesOf(added)}` : '',
    changed.length > 0 ? `changed ${namesOf(changed)}` : '',
    removed.length > 0 ? `removed ${namesOf(removed)}` : '',
  ].filter((part) => part !== '')
  return `Generation ${generation} in ${durationText(durationMs)}${details.length > 0 ? `: ${details.join('; ')}` : ''}`
}

function namesOf(keys: readonly string[]): string {
  return keys.map((key) => key.replace(':', ' ')).join(', ')
}
