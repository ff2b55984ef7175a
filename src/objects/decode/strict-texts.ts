// How what strict decoding finds is told.

/** `strict decoding error: unknown field "spec.foo", …`: why a strict server refuses the object. */
export const strictDecodingError = (errors: readonly string[]): string => `strict decoding error: ${errors.join(', ')}`

/** The texts of the warnings that a lenient server gives in place of strict errors: YAML faults one by one. */
export function strictWarnings(errors: readonly string[]): readonly string[] {
  return errors.flatMap((error) =>
    error.startsWith('yaml: ')
      ? error
          .split('\n')
          .slice(1)
          .map((line) => line.trim())
      : [error],
  )
}
