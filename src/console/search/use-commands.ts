import { useEffect, useEffectEvent } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { CommandSource } from './commands.ts'

/** Adds commands to the search while the component is mounted. */
export function useCommands(source: CommandSource): void {
  const { commands } = useServices()
  const list = useEffectEvent(source)
  useEffect(() => commands.add(() => list()), [commands])
}
