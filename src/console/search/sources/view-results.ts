import { areaOf } from '../../shell/areas.ts'
import type { Services } from '../../services/services.ts'
import { oneLine } from '../../ui/escape-text.ts'
import { hasWords } from '../found.ts'
import type { Found, SearchSource } from '../found.ts'
import { readSearch } from '../read-search.ts'
import type { SavedView } from '../saved-views.ts'

const MAX_NAME_CHARS = 120

/** Asks for the name of a view: of a new one, or another name of a saved one. */
export type NameView = (view: SavedView, saved?: string) => void

/** The saved views, with actions that rename and delete them. */
export function savedViews({ views, router, toasts }: Services, nameView: NameView): SearchSource {
  return ({ text }) => {
    const items = views
      .items()
      .filter(({ name }) => hasWords(text, name))
      .map((view): Found => ({
        key: `view ${view.name}`,
        name: oneLine(view.name, MAX_NAME_CHARS),
        note: oneLine(listName(view.to), MAX_NAME_CHARS),
        run: () => void router.navigate(view.to),
        actions: [
          { name: 'Rename', stays: true, run: () => nameView(view, view.name) },
          {
            name: 'Delete',
            stays: true,
            run: () => {
              views.delete(view.name)
              toasts.info(`Deleted the view "${oneLine(view.name, MAX_NAME_CHARS)}"`)
            },
          },
        ],
      }))
    return [{ name: 'Saved views', items }]
  }
}

/** What the search opens as a list, and what can be saved: the search, or the filters of the shown list. */
export function listResults({ router }: Services, nameView: NameView): SearchSource {
  return ({ text }) => {
    const { query } = readSearch(text)
    const shown = shownList(router.location(), text, nameView)
    if (!query) return [{ name: 'Lists', items: shown }]
    const q = encodeURIComponent(text.trim())
    const words = query.terms.flatMap((term) => term.words).join(' ')
    const all = `search?q=${q}`
    const executions = `executions?q=${q}`
    const items: Found[] = [
      link('All results', all),
      link('Runs that match', executions),
      ...(words === '' ? [] : [link('Logs with these words', `logs?q=${encodeURIComponent(words)}`)]),
      {
        key: 'save search',
        name: 'Save this search as a view',
        stays: true,
        run: () => nameView({ name: text.trim(), to: all }),
      },
      ...shown,
    ]
    return [{ name: 'Lists', items }]
  }

  function link(name: string, path: string): Found {
    return { key: path, name, run: () => void router.navigate(path) }
  }
}

function shownList(
  shown: ReturnType<Services['router']['location']>,
  text: string,
  nameView: NameView,
): readonly Found[] {
  const name = 'Save this list as a view'
  if (!shown || shown.search.size === 0 || shown.path.includes('/') || !hasWords(text, name)) return []
  const to = `${shown.path}?${shown.search.toString()}`
  return [{ key: 'save list', name, stays: true, run: () => nameView({ name: '', to }) }]
}

/** The list that an address opens, and its filters. */
function listName(to: string): string {
  const [path = '', query = ''] = to.split('?')
  const filters = [...new URLSearchParams(query)].map(([name, value]) =>
    name === 'q' ? value : `${name}=${value}`,
  )
  return [areaOf(path)?.name ?? 'Search', ...filters].join(' · ')
}
