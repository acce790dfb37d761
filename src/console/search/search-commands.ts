import type { SearchResult } from '../../contract/endpoints/search.ts'
import { parseSearch } from '../../contract/search/search-query.ts'
import type { Command } from '../commands/commands.ts'
import type { Services } from '../services/services.ts'
import { escapeHidden } from '../ui/escape-hidden.ts'
import { statusText } from '../ui/state/status-badge.tsx'

const MAX_RESULTS = '8'
/** Shorter texts find too much. */
const MIN_CHARS = 2
const MAX_TEXT_CHARS = 90

/** Commands that open the executions and agent runs which a search finds. */
export async function searchCommands({ api, router }: Services, text: string): Promise<readonly Command[]> {
  if (text.trim().length < MIN_CHARS || !parseSearch(text).query) return []
  const results = await api.call('search', { query: { q: text, limit: MAX_RESULTS } })
  return results.map((result) => ({
    name: nameOf(result),
    hint: `${result.kind === 'run' ? 'Run' : 'Execution'} of ${result.subjectName}, ${statusText(result.status)}`,
    isFound: true,
    run: () => void router.navigate(addressOf(result)),
  }))
}

function nameOf({ id, match }: SearchResult): string {
  return escapeHidden((match ? match.text : id).slice(0, MAX_TEXT_CHARS))
}

function addressOf({ kind, id, traceId }: SearchResult): string {
  return kind === 'execution'
    ? `executions/${encodeURIComponent(id)}`
    : `traces/${encodeURIComponent(traceId)}`
}
