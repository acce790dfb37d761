import { searchWords } from '../../contract/search/search-words.ts'
import type { SearchDocument, SearchFacetValue, SearchRecord } from '../../store/search/search-store.ts'

/** Maximum length of the text of a document: what follows is not found. */
const MAX_DOCUMENT_CHARS = 24_576

/** An escape of JSON text, which is no part of a word. */
const JSON_ESCAPE = /\\(?:u([\da-fA-F]{4})|[^u])/g

/** The document of a record and the messages that were logged in it. */
export function searchDocument(record: SearchRecord, logged: readonly string[]): SearchDocument {
  const { kind, number, createdAt } = record
  // results of steps are often those of the step before
  const text = [...new Set(textsOf(record, logged))].join('\n').slice(0, MAX_DOCUMENT_CHARS)
  return { record: { kind, number, createdAt }, words: searchWords(text), facets: facetsOf(record) }
}

/** JSON text as it reads, without its escapes. It may be incomplete. */
export function readableJson(json: string): string {
  if (!json.includes('\\')) return json
  return json.replaceAll(JSON_ESCAPE, (_, code?: string) =>
    code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** The texts of a record, the most telling first. */
function textsOf(record: SearchRecord, logged: readonly string[]): string[] {
  const { id, subjectId, subjectName, userId, conversationId, traceId, parentId } = record
  const { error, input, output, detail, user, metadata, steps, deciders } = record
  return [
    ...[id, subjectId, subjectName, userId, conversationId, traceId, parentId].filter(
      (text) => text !== null,
    ),
    ...deciders,
    ...[error, input, output, detail, user, metadata]
      .filter((json) => json !== null)
      .map((json) => readableJson(json)),
    ...logged,
    ...steps.map((json) => readableJson(json)),
  ]
}

function facetsOf({
  kind,
  status,
  subjectId,
  subjectName,
  userId,
  user,
  deciders,
  metadata,
}: SearchRecord): SearchFacetValue[] {
  const subject = kind === 'execution' ? 'workflow' : 'agent'
  return [
    ['kind', kind],
    ['status', status],
    ...unique([subjectId, subjectName]).map((value): SearchFacetValue => [subject, value]),
    ...unique([userId, idIn(user)]).map((value): SearchFacetValue => ['user', value]),
    ...deciders.map((value): SearchFacetValue => ['decided', value]),
    ...metadataOf(metadata).map(([name, value]): SearchFacetValue => [`metadata.${name}`, String(value)]),
  ]
}

function metadataOf(json: string | null): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(json ?? '{}') as object)
  } catch {
    // a damaged record does not stop the index
    return []
  }
}

function unique(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))]
}

/** The id of the authenticated user; null where the text is none, or was cut. */
function idIn(user: string | null): string | null {
  try {
    const { id } = (JSON.parse(user ?? 'null') ?? {}) as { id?: unknown }
    return typeof id === 'string' || typeof id === 'number' ? String(id) : null
  } catch {
    return null
  }
}
