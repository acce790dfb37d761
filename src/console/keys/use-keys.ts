import { useEffect, useEffectEvent } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { KeyBinding } from './key-bindings.ts'

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
