import { useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import { useVersionDifference } from '../live/use-version-difference.ts'
import type { VersionDifference } from '../live/use-version-difference.ts'
import { Button } from '../ui/controls/button.tsx'

const TEXT = {
  outdated: 'The server has another version of this page.',
  incomplete: 'Part of this page could not be loaded.',
} as const

/** Says that the page does not fit the server, where a reload is left to the user: something was typed. */
export function BuildBanner() {
  const { build } = useServices()
  const state = useSyncExternalStore(build.subscribe, build.state)
  const versions = useVersionDifference()
  const text = state === 'current' ? versions && versionText(versions) : TEXT[state]
  if (text === undefined) return null
  return (
    <div
      role="status"
      className="flex items-center gap-3 border-b border-suspended bg-warning-panel px-4 py-1"
    >
      <span className="flex-1">{text}</span>
      <Button size="small" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </div>
  )
}

function versionText({ page, server, isServerOlder }: VersionDifference): string {
  const text = `This page is of agentserver ${page}, the server runs ${server || 'an older version'}`
  return isServerOlder
    ? `${text}: restart the server to update it. Until then, what it does not send is shown as empty or 0.`
    : `${text}: some things may be missing.`
}
