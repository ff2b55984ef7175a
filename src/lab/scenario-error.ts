// What is wrong with a scenario, said with file and line: a command that does not exist, a wait that never ends.

export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  /** What was printed before. */
  transcript = ''

  constructor(file: string, line: number, message: string, options?: ErrorOptions) {
    super(`${file}:${line}: ${message}`, options)
  }
}

/** A command that was written wrongly; whoever runs the scenario adds where. `line` counts from the command's own. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly line: number

  constructor(message: string, line = 0, options?: ErrorOptions) {
    super(message, options)
    this.line = line
  }
}
