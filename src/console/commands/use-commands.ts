import { useEffect, useEffectEvent } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { CommandSource } from './commands.ts'

/** Commands that the palette offers while the component is there. */
export function useCommands(source: CommandSource): void {
  const { commands } = useServices()
  const find = useEffectEvent(source)
  useEffect(() => commands.add((text) => find(text)), [commands])
}
