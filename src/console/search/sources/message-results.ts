import type { Services } from '../../services/services.ts'
import { serverClock } from '../../ui/time/use-now.ts'
import { oneLine } from '../../ui/escape-text.ts'
import { readSearch } from '../read-search.ts'
import type { SearchSource } from '../found.ts'

const MAX_ITEMS = '5'
const MIN_CHARS = 3
const MAX_TEXT_CHARS = 160
/** These lists are searched when nothing was typed for this time. */
const SETTLE_MS = 150

/** Conversations by their title, and log records. Filters other than `last` belong to executions and runs. */
export function messageResults({ api, router }: Services): SearchSource {
  return async ({ text, signal }) => {
    const { query } = readSearch(text)
    const words = query?.terms.flatMap((term) => term.words).join(' ') ?? ''
    if (!query || words.length < MIN_CHARS || Object.keys(query.facets).length > 0) return []
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    if (signal.aborted) return []
    const since =
      query.lastMs === undefined ? undefined : new Date(serverClock.now() - query.lastMs).toISOString()
    const [conversations, records] = await Promise.all([
      since === undefined
        ? api.call('listAllConversations', { query: { search: words, limit: MAX_ITEMS }, signal })
        : [],
      api.call('listLogs', { query: { q: words, since, limit: MAX_ITEMS }, signal }),
    ])
    return [
      {
        name: 'Conversations',
        items: conversations.map(({ id, title, agentIds, updatedAt, userId }) => {
          const agent = encodeURIComponent(agentIds.at(-1) ?? '')
          const user = userId === null ? '' : `&user=${encodeURIComponent(userId)}`
          return {
            key: `conversation ${id}`,
            name: oneLine(title ?? id, MAX_TEXT_CHARS),
            note: agentIds.join(', '),
            at: updatedAt,
            run: () => void router.navigate(`agents/${agent}?conversation=${encodeURIComponent(id)}${user}`),
          }
        }),
      },
      {
        name: 'Logs',
        items: records.map(({ id, level, message, timestamp, traceId, executionId }) => ({
          key: `log ${id}`,
          name: oneLine(message, MAX_TEXT_CHARS),
          note: level,
          at: timestamp,
          run: () => void router.navigate(`logs?q=${encodeURIComponent(words)}&log=${id}`),
          actions: [
            ...(executionId === null
              ? []
              : [
                  {
                    name: 'Open run',
                    run: () => void router.navigate(`executions/${encodeURIComponent(executionId)}`),
                  },
                ]),
            ...(traceId === null
              ? []
              : [{ name: 'Open request', run: () => void router.navigate(`traces/${traceId}`) }]),
          ],
        })),
      },
    ]
  }
}
