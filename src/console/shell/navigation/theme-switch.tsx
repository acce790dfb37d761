import { useSyncExternalStore } from 'react'
import { useServices } from '../../services/services-context.tsx'
import { THEMES } from '../theme.ts'

/** Switch between light, dark and the system theme. */
export function ThemeSwitch() {
  const { theme } = useServices()
  const choice = useSyncExternalStore(theme.subscribe, theme.choice)
  return (
    <fieldset className="my-1 flex rounded-sm border border-line">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === choice}
          onClick={() => theme.choose(one)}
          className={`flex-1 px-1 py-0.5 text-sm capitalize ${one === choice ? 'bg-chosen text-text' : 'text-dim hover:bg-hover'}`}
        >
          {one}
        </button>
      ))}
    </fieldset>
  )
}
