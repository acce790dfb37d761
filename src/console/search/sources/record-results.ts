import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import type { SearchResult } from '../../../contract/endpoints/search.ts'
import type { Services } from '../../services/services.ts'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { oneLine } from '../../ui/escape-text.ts'
import { fetchCached } from './declared-results.ts'
import type { Found, SearchSource } from '../found.ts'
import { indexLag } from '../index-lag.ts'
import { readSearch } from '../read-search.ts'
import { agentLinks, executionLinks, linksTo } from './links.ts'

const MAX_RESULTS = '20'
const MAX_ITEMS = 6
const MAX_NEWEST = 5
const MAX_WAIT_MS = 400
/** Shorter texts find too much. */
const MIN_CHARS = 2
const MAX_NAME_CHARS = 120
/** An id, or a part of one. */
const ID_PART = /^[A-Za-z0-9._:-]{3,128}$/
const TRACE_ID = /^[0-9a-f]{32}$/
/** An id has a digit, unlike most words. */
const EXECUTION_ID = /^(?=.*\d)[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/

/** Executions and answers of agents by their contents, newest first. */
export function recordResults(services: Services): SearchSource {
  const { api } = services
  return async ({ text, signal }) => {
    if (text.trim().length < MIN_CHARS || !readSearch(text).query) return []
    const [{ data: results, beside }, names] = await Promise.all([
      api.request('search', { query: { q: text, limit: MAX_RESULTS }, signal }),
      agentNames(services),
    ])
    const executions = results.filter(({ kind }) => kind === 'execution')
    const runs = results.filter(({ kind }) => kind === 'run')
    return [
      {
        name: 'Runs',
        missing: indexLag(beside),
        items: executions.slice(0, MAX_ITEMS).map((result) => ({
          ...recordOf(result),
          ...executionLinks(services, result.id),
        })),
      },
      {
        name: 'Answers of agents',
        items: runs.slice(0, MAX_ITEMS).map((result) => ({
          ...answerOf(services, result),
          name: oneLine(names.get(result.subjectId) ?? result.subjectName, MAX_NAME_CHARS),
        })),
      },
    ]
  }
}

function answerOf(services: Services, result: SearchResult): Found {
  const { conversationId, traceId, subjectId, id } = result
  const agent = agentLinks(services, subjectId).key
  const to = (query: string) => linksTo(services, `${agent}?${query}`).run
  const conversation = `conversation=${encodeURIComponent(conversationId ?? '')}`
  return {
    ...recordOf(result),
    ...linksTo(services, `traces/${encodeURIComponent(traceId)}`, [
      ...(conversationId === null ? [] : [{ name: 'Open conversation', run: to(conversation) }]),
      { name: 'Show in history', run: to(`tab=history&run=${encodeURIComponent(id)}`) },
    ]),
    key: `run ${id}`,
  }
}

/** The newest executions, while nothing is typed. Other results don't wait for a slow server. */
export function newestExecutions(services: Services): SearchSource {
  return async ({ text, signal }) => {
    if (text.trim() !== '') return []
    const newest = await Promise.race([fetchNewest(services), nothingAfter(MAX_WAIT_MS, signal)])
    const items = newest.slice(0, MAX_NEWEST).map((one) => newestOf(services, one))
    return [{ name: 'Newest runs', items }]
  }
}

/** Those of the newest executions that have the text in their id, also within a word. */
export function executionsByIdPart(services: Services): SearchSource {
  return async ({ text }) => {
    const part = text.trim().toLowerCase()
    if (!ID_PART.test(part)) return []
    const found = (await fetchNewest(services)).filter(({ id }) => id.toLowerCase().includes(part))
    return [{ name: 'Runs', items: found.slice(0, MAX_NEWEST).map((one) => newestOf(services, one)) }]
  }
}

/** The execution or trace whose id was typed, though no list has it. */
export function recordById(services: Services): SearchSource {
  return ({ text }) => {
    const id = text.trim()
    const isTrace = TRACE_ID.test(id)
    if (!isTrace && !EXECUTION_ID.test(id)) return []
    const links = isTrace ? linksTo(services, `traces/${id}`) : executionLinks(services, id)
    return [{ name: 'By id', items: [{ name: id, note: isTrace ? 'Request' : 'Run', ...links }] }]
  }
}

/** The names of the agents by id: runs are recorded with the id only. */
async function agentNames(services: Services): Promise<ReadonlyMap<string, string>> {
  try {
    const agents = await fetchCached(services, 'listAgents', {})
    return new Map(agents.map(({ id, name }) => [id, name]))
  } catch {
    // the results are named by their ids; other sources report the failure
    return new Map()
  }
}

async function fetchNewest(services: Services): Promise<readonly ExecutionRecord[]> {
  return fetchCached(services, 'observeExecutions', { query: { limit: '100' } })
}

function nothingAfter(ms: number, signal: AbortSignal): Promise<readonly ExecutionRecord[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([]), ms)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}

function newestOf(services: Services, record: ExecutionRecord): Found {
  const { id, status, createdAt } = record
  return {
    name: workflowNameOf(record),
    note: id,
    status,
    at: createdAt,
    ...executionLinks(services, id),
  }
}

function recordOf({
  id,
  subjectName,
  status,
  createdAt,
  trial,
  match,
}: SearchResult): Omit<Found, 'key' | 'run'> {
  return {
    name: oneLine(subjectName, MAX_NAME_CHARS),
    note: trial ? `trial ${id}` : id,
    status,
    at: createdAt,
    ...(match && { match: { field: match.field, text: oneLine(match.text, 200) } }),
  }
}
