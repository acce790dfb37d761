import { useEffect, useState } from 'react'
import { Autocomplete } from '@base-ui/react/autocomplete'
import { useServices } from '../services/services-context.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import type { Command } from './commands.ts'
import { pageCommands } from './page-commands.ts'
import { searchCommands } from '../search/search-commands.ts'
import { useCommands } from './use-commands.ts'

const MAX_SHOWN = 12

/** Finds pages, agents, workflows, executions and actions of the screen by name. */
export function CommandPalette({ close }: { readonly close: () => void }) {
  const services = useServices()
  const { commands } = services
  const [text, setText] = useState('')
  useCommands((query) => (query.trim() === '' ? [] : pageCommands(services, query.trim())))
  useCommands((query) => searchCommands(services, query))
  const [found, setFound] = useState<readonly Command[]>([])
  useEffect(() => {
    let current = true
    void commands.find(text).then((result) => {
      if (current) setFound(result.slice(0, MAX_SHOWN))
    })
    return () => {
      current = false
    }
  }, [commands, text])
  const run = (command: Command) => {
    close()
    command.run()
  }
  return (
    <Dialog title="Command palette" close={close} quiet>
      <Autocomplete.Root
        inline
        open
        items={found}
        filter={null}
        autoHighlight="always"
        keepHighlight
        itemToStringValue={({ name }: Command) => name}
        value={text}
        onValueChange={(value, { reason }) => {
          if (reason === 'input-change' || reason === 'input-clear') setText(value)
        }}
      >
        <Autocomplete.Input
          aria-label="Command"
          placeholder="Search pages, actions and executions…"
          spellCheck={false}
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
