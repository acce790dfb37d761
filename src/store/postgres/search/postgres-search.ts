import { SEARCH_KINDS } from '../../../contract/search/search-query.ts'
import type { SearchFacet } from '../../../contract/search/search-query.ts'
import { facetToken } from '../../search/facet-token.ts'
import type {
  IndexedChanges,
  SearchDocument,
  SearchFilter,
  SearchPage,
  SearchStore,
} from '../../search/search-store.ts'
import { given } from '../../sql/conditions.ts'
import type { Condition } from '../../sql/conditions.ts'
import { OPEN_TO, selectionOf, SqlSearch } from '../../sql/search.ts'
import { tx } from '../../sql/sql.ts'
import type { Sql } from '../../sql/sql.ts'

const LOCK = 'SELECT milestone FROM search_progress FOR UPDATE'
const ADVANCE = 'UPDATE search_progress SET milestone = ?'
const WAITING = 'SELECT count(*) AS total FROM search_changes WHERE number = ANY (?)'
const FORGET = 'DELETE FROM search_changes WHERE number = ANY (?)'

/** The table of each kind of records. */
const TABLES = { execution: 'executions', run: 'agent_runs' } as const
const TEXTS_OF_KINDS = SEARCH_KINDS.map((kind, number) => ({
  kind,
  // documents of records that exist
  put: `INSERT INTO search_documents (kind, record, created_at, words)
    SELECT ${number}, r.number, d.created_at, d.words::tsvector
    FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS d (number, created_at, words)
    JOIN ${TABLES[kind]} r ON r.number = d.number
    ON CONFLICT (kind, record) DO UPDATE SET words = excluded.words`,
  deleteOrphans: `DELETE FROM search_documents d WHERE kind = ${number} AND record = ANY (?)
    AND NOT EXISTS (SELECT FROM ${TABLES[kind]} r WHERE r.number = d.record)`,
}))

/** The full-text index in Postgres. */
export class PostgresSearch extends SqlSearch implements SearchStore {
  readonly #sql: Sql

  /** `sql` is for what is searched, and `index` for what is indexed. */
  constructor(sql: Sql, index: Sql) {
    super(sql, index)
    this.#sql = index
  }

  async index(documents: readonly SearchDocument[], changes: IndexedChanges): Promise<boolean> {
    const { from, to } = changes.milestones
    const { runs } = changes
    const parts = TEXTS_OF_KINDS.map((texts) => ({
      ...texts,
      documents: documents.filter(({ record }) => record.kind === texts.kind),
    })).filter((part) => part.documents.length > 0)
    const isDone = await this.#sql.transaction(function* () {
      // only one process indexes a change: the others wait here, and find that it is done
      const [progress] = yield* tx.all<{ milestone: number }>(LOCK)
      const [waiting] = yield* tx.all<{ total: number }>(WAITING, [runs])
      if (progress?.milestone !== from || waiting?.total !== runs.length) return false
      yield* tx.run(ADVANCE, [to])
      yield* tx.run(FORGET, [runs])
      for (const part of parts) yield* tx.run(part.put, valuesOf(part.documents))
      return true
    })
    // a record that was deleted meanwhile: a reference would lock it, which its run changes
    if (isDone)
      for (const part of parts)
        await this.#sql.run(part.deleteOrphans, [part.documents.map(({ record }) => record.number)])
    return isDone
  }

  protected selection(filter: SearchFilter, { before }: SearchPage): Condition {
    const { from, openTo } = filter
    return selectionOf(
      `created_at || '-' || number AS position FROM search_documents d`,
      [
        ...given(textQuery(filter), (query) => ({ text: 'words @@ ?::tsquery', values: [query] })),
        ...given(from, (at) => ({ text: 'created_at >= ?', values: [Math.trunc(at)] })),
        ...given(before, (position) => ({
          text: '(created_at, number) < (?, ?)',
          values: position.split('-').map(Number),
        })),
        ...given(openTo, ({ owner, userId }) => ({ text: OPEN_TO, values: [owner, userId] })),
      ],
      'created_at DESC, number DESC',
    )
  }
}

function valuesOf(documents: readonly SearchDocument[]) {
  return [
    documents.map(({ record }) => record.number),
    documents.map(({ record }) => record.createdAt),
    documents.map((document) => textVector(document)),
  ]
}

type Words = Pick<SearchFilter, 'terms' | 'facets'>

/** The condition of the executions that a filter finds. */
export function foundByQuery(filter: Words): Condition[] {
  return given(textQuery(filter), (query) => ({ text: FOUND, values: [query] }))
}

const FOUND = 'number IN (SELECT record FROM search_documents WHERE kind = 0 AND words @@ ?::tsquery)'

/** Positions beyond are not kept. */
const MAX_POSITION = 16_383

/** No word has this character, so that no text has the token of a facet. */
const FACET = '='

/**
 * The text of a tsvector. The words are those of the index, as the configuration `simple` has them, so that Postgres and
 * SQLite find the same: a parser of Postgres splits ids, numbers and addresses in its own way.
 */
function textVector({ words, facets }: Pick<SearchDocument, 'words' | 'facets'>): string {
  const positions = new Map<string, number[]>()
  for (const [index, word] of words.slice(0, MAX_POSITION).entries()) {
    const known = positions.get(word)
    if (known) known.push(index + 1)
    else positions.set(word, [index + 1])
  }
  return [
    ...[...positions].map(([word, at]) => `'${word}':${at.slice(0, 255).join(',')}`),
    ...facets.map((facet) => `'${FACET}${facetToken(facet)}'`),
  ].join(' ')
}

/** The text of the tsquery of a filter; `undefined` if it matches everything. */
function textQuery({ terms, facets }: Words): string | undefined {
  const parts = [
    ...terms.map(({ words, isPrefix }) => {
      const phrase = words.map((word) => `'${word}'`).join(' <-> ')
      return isPrefix ? `${phrase}:*` : phrase
    }),
    ...(Object.keys(facets) as SearchFacet[]).map((facet) =>
      (facets[facet] ?? []).map((value) => `'${FACET}${facetToken([facet, value])}'`).join(' | '),
    ),
  ]
  return parts.length === 0 ? undefined : parts.map((part) => `(${part})`).join(' & ')
}
