// Why a tool gave no result, in words for the application that needed it.

export type ToolFaultReason =
  /** The tool is not there and could not be fetched. */
  | 'missing'
  /** It ran and refused its input: the same input is refused again. */
  | 'refused'
  /** It was stopped at a limit, or could not be started: another try may end differently. */
  | 'stopped'

export class ToolFault extends Error {
  override readonly name = 'ToolFault'
  readonly reason: ToolFaultReason

  constructor(reason: ToolFaultReason, message: string) {
    super(message)
    this.reason = reason
  }
}
