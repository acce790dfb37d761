import { useEffect, useEffectEvent, useState } from 'react'
import { Autocomplete } from '@base-ui/react/autocomplete'
import { useServices } from '../services/services-context.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import type { Command } from './commands.ts'
import { pageCommands } from './page-commands.ts'
import { searchCommands } from '../search/search-commands.ts'
import { useCommands } from './use-commands.ts'

const MAX_SHOWN = 12

interface Found {
  /** Undefined before anything was found. */
  readonly text: string | undefined
  readonly commands: readonly Command[]
}

/** Finds pages, agents, workflows, executions and actions of the screen by name. */
export function CommandPalette({ close }: { readonly close: () => void }) {
  const services = useServices()
  const { commands } = services
  const [text, setText] = useState('')
  useCommands((query) => (query.trim() === '' ? [] : pageCommands(services, query.trim())))
  useCommands((query) => searchCommands(services, query))
  const [found, setFound] = useState<Found>({ text: undefined, commands: [] })
  /** Enter was pressed before the commands for the text were found: the first of them is run. */
  const [isEntered, setIsEntered] = useState(false)
  const run = (command: Command) => {
    close()
    command.run()
  }
  const show = useEffectEvent((result: readonly Command[]) => {
    setFound({ text, commands: result.slice(0, MAX_SHOWN) })
    setIsEntered(false)
    if (isEntered && result[0]) run(result[0])
  })
  useEffect(() => {
    let current = true
    void commands.find(text).then((result) => {
      if (current) show(result)
    })
    return () => {
      current = false
    }
  }, [commands, text])
  return (
    <Dialog title="Command palette" close={close} quiet>
      <Autocomplete.Root
        inline
        open
        items={found.commands}
        filter={null}
        autoHighlight="always"
        keepHighlight
        itemToStringValue={({ name }: Command) => name}
        value={text}
        onValueChange={(value, { reason }) => {
          if (reason !== 'input-change' && reason !== 'input-clear') return
          setText(value)
          setIsEntered(false)
        }}
      >
        <Autocomplete.Input
          aria-label="Command"
          placeholder="Search pages, actions and executions…"
          spellCheck={false}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || found.text === text) return
            event.preventBaseUIHandler()
            setIsEntered(true)
          }}
          className="w-96 max-w-full shrink-0 border-b border-line bg-transparent p-2 outline-none"
        />
        <Autocomplete.Empty className="text-dim not-empty:p-2">No results</Autocomplete.Empty>
        <Autocomplete.List aria-label="Commands" className="min-h-0 overflow-auto pt-1 data-empty:hidden">
          {(command: Command) => (
            <Autocomplete.Item
              key={`${command.isFound ?? ''} ${command.hint ?? ''} ${command.name}`}
              value={command}
              onClick={() => run(command)}
              className="flex cursor-pointer justify-between gap-4 rounded-sm px-2 py-1 data-highlighted:bg-chosen"
            >
              {command.name} <span className="text-dim">{command.hint}</span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  )
}
