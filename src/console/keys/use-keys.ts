import { useEffect, useEffectEvent } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { KeyBinding } from './key-bindings.ts'
import { useLocation } from '../router/use-location.ts'
import { copyText } from '../ui/controls/button.tsx'

/** Adds shortcuts while the component is mounted. `run` may change with each render: the latest one is called. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const { keys } = useServices()
  const run = useEffectEvent((index: number) => bindings[index]?.run())
  const signature = bindings
    .map((one) => `${one.keys}\n${one.label}\n${one.group}\n${one.whileTyping}`)
    .join('\t')
  useEffect(() => {
    const fixed = signature === '' ? [] : signature.split('\t').map((text) => text.split('\n'))
    return keys.add(
      fixed.map(([name = '', label = '', group = '', whileTyping], index) => ({
        keys: name,
        label,
        group,
        whileTyping: whileTyping === 'true',
        run: () => run(index),
      })),
    )
  }, [keys, signature])
}

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
