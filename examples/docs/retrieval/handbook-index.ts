import { openai } from '@ai-sdk/openai'
import { cosineSimilarity, embed, embedMany } from 'ai'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { RetrievedDocument } from 'agentserver'

const EMBEDDINGS = openai.embedding('text-embedding-3-small')

interface Entry {
  readonly id: string
  readonly text: string
  readonly embedding: readonly number[]
}

/** Reads the Markdown files of a folder and embeds each of their paragraphs. */
async function readIndex(folder: string): Promise<readonly Entry[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
  const parts = texts.flatMap((text, file) =>
    text
      .split(/\n{2,}/)
      .filter((part) => part.trim() !== '')
      .map((part, index) => ({ id: `${names[file]}#${index + 1}`, text: part })),
  )
  const { embeddings } = await embedMany({ model: EMBEDDINGS, values: parts.map(({ text }) => text) })
  return parts.map((part, index) => ({ ...part, embedding: embeddings[index] ?? [] }))
}

let index: Promise<readonly Entry[]> | undefined

/** The paragraphs of the handbook that fit a question best. */
export async function searchHandbook(
  query: string,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<RetrievedDocument[]> {
  index ??= readIndex('handbook')
  const { embedding } = await embed({ model: EMBEDDINGS, value: query, abortSignal: signal })
  return (await index)
    .map(({ id, text, embedding: own }) => ({ id, text, score: cosineSimilarity(embedding, [...own]) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
}
