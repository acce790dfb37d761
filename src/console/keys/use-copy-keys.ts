import { useServices } from '../services/services-context.tsx'
import { useLocation } from '../router/use-location.ts'
import { copyText } from '../ui/controls/copy-text.ts'
import { useKeys } from './use-keys.ts'

/** Shortcuts to copy: `y` a link to the page, `Y` its request as a curl command. */
export function useCopyKeys(group: string, curl: () => string): void {
  const { router, toasts } = useServices()
  const { path, search } = useLocation()
  const link = () => router.url(search.size === 0 ? path : `${path}?${search.toString()}`)
  useKeys([
    { keys: 'y', label: 'Copy link', group, run: () => void copyText(link(), toasts) },
    { keys: 'Y', label: 'Copy as curl', group, run: () => void copyText(curl(), toasts) },
  ])
}
