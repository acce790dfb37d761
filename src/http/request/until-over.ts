/** The same body; `onOver` is called once it was read to its end, broke, or its reader `left`. */
export function untilOver(
  body: ReadableStream<Uint8Array>,
  onOver: (left: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          onOver(false)
          throw error
        }
        onOver(false)
      },
      async cancel(reason) {
        onOver(true)
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
