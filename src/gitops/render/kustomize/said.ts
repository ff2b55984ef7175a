// What kustomize says when it fails, without what kubectl puts around it: a line of a log. Pure.

/** The words alone. */
export function saidByKustomize(stderr: string): string {
  const told = /^"command failed" err=([\s\S]*)$/m.exec(stderr)?.[1] ?? stderr
  return withoutCommand(unquoted(told.trim())).replace(/^error: /i, '')
}

/** A log has one line as a quoted text, several as an indented block. */
function unquoted(text: string): string {
  if (text.startsWith('<') && text.endsWith('>'))
    return text
      .slice(1, -1)
      .split('\n')
      .map((line) => line.replace(/^\t/, ''))
      .join('\n')
      .trim()
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

/** Of helm below kustomize: which words it was run with, and where its folders were, is no part of the reason. */
function withoutCommand(text: string): string {
  const at = text.indexOf("\n: unable to run: '")
  return (at < 0 ? text : text.slice(0, at))
    .split('\n')
    .filter((line) => !/^level=[A-Z]+ msg=/.test(line) && line !== 'Use --debug flag to render out invalid YAML')
    .join('\n')
    .trim()
}
