import { useEffect, useEffectEvent } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { CommandSource } from './commands.ts'

/** Adds commands to the palette while the component is mounted. */
export function useCommands(source: CommandSource): void {
  const { commands } = useServices()
  const find = useEffectEvent(source)
  useEffect(() => commands.add((text) => find(text)), [commands])
}
