/** Source text; the line of an error, marked with `>`, is highlighted. */
export function CodeFrame({ text }: { readonly text: string }) {
  return (
    <pre
      tabIndex={0}
      aria-label="Code"
      role="group"
      className="max-h-64 overflow-auto whitespace-pre font-mono text-sm"
    >
      {text.split('\n').map((line, index) => (
        <span
          key={index}
          className={line.startsWith('>') ? 'font-semibold' : line.trim() === '|' ? 'text-dim' : ''}
        >
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}
