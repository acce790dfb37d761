import { experimental_useObject as useObject } from '@ai-sdk/react'
import { z } from 'zod'
import { AGENT } from './api.ts'

const Packing = z.object({ items: z.array(z.string()) })

/** A list of what to pack, which grows while the model writes it. */
export function PackingList() {
  const { object, submit, isLoading, error } = useObject({
    api: `${AGENT}/stream-object?format=text`,
    schema: Packing,
  })
  return (
    <>
      <button
        disabled={isLoading}
        onClick={() =>
          submit({ input: 'What do I pack for a week in Oslo?', schema: z.toJSONSchema(Packing) })
        }
      >
        Pack
      </button>
      <ul>
        {object?.items?.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
      {error && <p>{error.message}</p>}
    </>
  )
}
